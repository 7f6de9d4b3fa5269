/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest of the probe: the last KiB of a 64 KiB firmware image. It does once what every Linux
 * guest does all the time and what an incomplete KVM gets wrong: long mode with paging, interrupts
 * and exceptions from ring 0 and ring 3, syscall/sysret, cmpxchg16b, fxsave and xsave. When all of
 * it worked it writes SUCCESS to the isa-debug-exit device, and QEMU ends with 2 * SUCCESS + 1.
 * Anything else is a reset, a hang or an error of QEMU. (Intel SDM vol. 3, ch. 4, 6, 9.)
 *
 * The same bytes are a multiboot kernel that only halts: something to boot, save and restore.
 *
 * Regenerate probe.bin with assemble.sh.
 */
        .set BASE, 0xffc00              /* where the image's last KiB appears below 1 MiB */
        .set PML4, 0x10000
        .set PDPT, 0x11000
        .set PD, 0x12000
        .set IDT, 0x13000
        .set TSS, 0x14000
        .set GDT, 0x15000
        .set AREA, 0x16000              /* xsave area, 64-byte aligned */
        .set COUNTS, 0x17000            /* int3, int 0x80, syscall */
        .set KERNEL_STACK, 0x20000
        .set USER_STACK, 0x30000
        .set ROUNDS, 1000
        .set SUCCESS, 42
        .set DEBUG_EXIT, 0xf4

        .text
        .globl start
start:
        /* Multiboot header (multiboot specification 0.6.96, 3.1), addresses given: bit 16. */
        .set MB_LOAD, 0x100000
        .balign 4
header: .long 0x1badb002, 0x00010000, -(0x1badb002 + 0x00010000)
        .long MB_LOAD, MB_LOAD, MB_LOAD + 0x400, MB_LOAD + 0x400, MB_LOAD + (idle - start)
        .code32
idle:   hlt
        jmp     idle

        .code16
real:   cli
        lgdtl   %cs:(gdt_pointer - start + 0xfc00)
        movl    %cr0, %eax
        orb     $1, %al
        movl    %eax, %cr0
        ljmpl   $0x18, $protected

        .code32
protected:
        movw    $0x10, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %ss
        movl    $KERNEL_STACK, %esp
        cld
        xorl    %eax, %eax
        movl    $PML4, %edi
        movl    $(0x8000 / 4), %ecx
        rep stosl
        /* 2 MiB, identity mapped, open to ring 3. */
        movl    $(PDPT + 7), PML4
        movl    $(PD + 7), PDPT
        movl    $0x87, PD
        /* The descriptor tables must be writable: ltr marks its segment busy. */
        movl    $gdt, %esi
        movl    $GDT, %edi
        movl    $((gdt_end - gdt) / 4), %ecx
        rep movsl
        movl    $PML4, %eax
        movl    %eax, %cr3
        movl    $0x620, %eax            /* PAE, OSFXSR, OSXMMEXCPT */
        movl    %eax, %cr4
        movl    $0xc0000080, %ecx       /* EFER: SCE, LME */
        rdmsr
        orl     $0x101, %eax
        wrmsr
        movl    %cr0, %eax
        andl    $~0x4, %eax             /* no emulated FPU */
        orl     $0x80010002, %eax       /* PG, WP, MP */
        movl    %eax, %cr0
        ljmpl   $0x08, $long

        .code64
long:   lgdt    gdt_pointer_ram
        movl    $(KERNEL_STACK), TSS + 4
        movl    $3, %edi
        movl    $on_int3, %eax
        call    gate
        movl    $0x80, %edi
        movl    $on_int80, %eax
        call    gate
        lidt    idt_pointer
        movw    $0x38, %ax
        ltr     %ax
        movl    $0xc0000081, %ecx       /* STAR */
        xorl    %eax, %eax
        movl    $0x00200008, %edx
        wrmsr
        incl    %ecx                    /* LSTAR */
        movl    $on_syscall, %eax
        xorl    %edx, %edx
        wrmsr
        movl    $0xc0000084, %ecx       /* FMASK: interrupts off */
        movl    $0x200, %eax
        wrmsr

        int3                            /* from ring 0 */
        movl    $1, %eax
        cpuid
        movl    %ecx, %ebp
        fninit
        fxsave  AREA
        fxrstor AREA
        btl     $26, %ebp               /* XSAVE */
        jnc     1f
        movq    %cr4, %rax
        orl     $0x40000, %eax          /* OSXSAVE */
        movq    %rax, %cr4
        xorl    %ecx, %ecx
        xorl    %edx, %edx
        movl    $3, %eax                /* x87 and SSE */
        xsetbv
        xorl    %eax, %eax              /* a header of zeros: what xrstor demands */
        movl    $AREA, %edi
        movl    $(0x1000 / 4), %ecx
        rep stosl
        movl    $3, %eax
        xorl    %edx, %edx
        xsave   AREA
        xrstor  AREA
1:      btl     $13, %ebp               /* CMPXCHG16B */
        jnc     2f
        xorl    %eax, %eax
        xorl    %edx, %edx
        movl    $7, %ebx
        xorl    %ecx, %ecx
        movq    %rax, AREA
        movq    %rax, AREA + 8
        lock cmpxchg16b AREA
        jnz     fail
        cmpl    $7, AREA
        jne     fail
2:      pushq   $(0x28 | 3)             /* into ring 3 */
        pushq   $USER_STACK
        pushq   $2
        pushq   $(0x30 | 3)
        pushq   $user
        iretq

user:   movl    $ROUNDS, %ebx
3:      xorl    %eax, %eax
        int     $0x80
        syscall
        int3
        decl    %ebx
        jnz     3b
        incl    %eax                    /* done */
        int     $0x80
fail:   jmp     fail

on_int3:
        incl    COUNTS
        iretq
on_int80:
        testl   %eax, %eax
        jnz     finish
        incl    COUNTS + 4
        iretq
on_syscall:
        incl    COUNTS + 8
        sysretq

finish: cmpl    $(ROUNDS + 1), COUNTS
        jne     fail
        cmpl    $ROUNDS, COUNTS + 4
        jne     fail
        cmpl    $ROUNDS, COUNTS + 8
        jne     fail
        movb    $SUCCESS, %al
        outb    %al, $DEBUG_EXIT
4:      hlt
        jmp     4b

        /* Interrupt gate edi to eax, callable from ring 3. All handlers are below 1 MiB. */
gate:   shll    $4, %edi
        addl    $IDT, %edi
        movw    %ax, (%rdi)
        movl    $0xee000008, 2(%rdi)
        movw    $0x0008, 2(%rdi)
        movw    $0xee00, 4(%rdi)
        shrl    $16, %eax
        movw    %ax, 6(%rdi)
        ret

        .balign 8
gdt:    .quad   0
        .quad   0x00af9b000000ffff      /* 08 code, 64 bits */
        .quad   0x00cf93000000ffff      /* 10 data */
        .quad   0x00cf9b000000ffff      /* 18 code, 32 bits */
        .quad   0                       /* 20 sysret's base */
        .quad   0x00cff3000000ffff      /* 28 user data */
        .quad   0x00affb000000ffff      /* 30 user code, 64 bits */
        .quad   0x0000890000000067 | (TSS & 0xffff) << 16 | (TSS >> 16) << 32
        .quad   0
gdt_end:
gdt_pointer:
        .word   gdt_end - gdt - 1
        .long   gdt
gdt_pointer_ram:
        .word   gdt_end - gdt - 1
        .quad   GDT
idt_pointer:
        .word   0xfff
        .quad   IDT

        .org    0x3f0                   /* the reset vector, 16 bytes below 4 GiB */
        .code16
        .byte   0xea                    /* ljmp $0xf000, $real: the segment below 1 MiB */
        .word   real - start + 0xfc00
        .word   0xf000
        .org    0x400
