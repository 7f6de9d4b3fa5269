/* SPDX-License-Identifier: Apache-2.0
 *
 * A multiboot kernel for tests: says "boot" on the serial port, then for ever counts at 2 MiB and
 * writes the count into the pages from 3 to 4 MiB. Assembled with src/main/asm/assemble.sh.
 */
        .set COUNT, 0x200000
        .set FIRST, 0x300000
        .set END, 0x400000
        .set COM1, 0x3f8

        .text
        .code32
        .globl start
start:
        .balign 4
header: .long 0x1badb002, 0x00010000, -(0x1badb002 + 0x00010000)
        .long start, start, end, end, entry

entry:  movl    $text, %esi
1:      lodsb
        testb   %al, %al
        jz      2f
        movw    $COM1, %dx
        outb    %al, %dx
        jmp     1b
2:      movl    $FIRST, %edi
3:      incl    COUNT
        movl    COUNT, %eax
        movl    %eax, (%edi)
        addl    $4096, %edi
        cmpl    $END, %edi
        jb      3b
        jmp     2b

text:   .asciz  "boot\n"
end:
