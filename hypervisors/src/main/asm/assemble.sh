#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Assembles a guest: assemble.sh SOURCE ADDRESS OUTPUT. Needs GNU as and ld.
# The committed binaries come from:
#   assemble.sh probe.S 0xffc00 ../resources/dev/ramet/hypervisors/qemu/probe.bin
#   assemble.sh ../../test/asm/counter.S 0x100000 ../../test/resources/dev/ramet/hypervisors/qemu/counter.bin
set -eu
object=$(mktemp)
trap 'rm -f "$object"' EXIT
as --64 -o "$object" "$1"
ld -m elf_x86_64 -nostdlib -e start -Ttext="$2" --oformat binary -o "$3" "$object"
chmod 644 "$3"
