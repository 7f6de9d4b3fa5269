# SPDX-License-Identifier: Apache-2.0
#
# template.json: how a host boots the template.

# Each parameter either makes the boot shorter or the idle guest quieter: whatever an idle guest
# writes to memory is part of its next snapshot.
kernel_parameters() {
  sed -e 's/ *#.*//' -e '/^$/d' <<'END' | paste -s -d ' '
console=ttyS0           # the host keeps the serial console as the machine's log
root=/dev/vda           # what the initramfs mounts
rw                      # and how
quiet                   # a serial port is slow: print warnings only
panic=-1                # restart at once after a panic
reboot=k                # restart through the keyboard controller, which every VMM has
nowatchdog              # no periodic lockup detectors: a guest that is stored looks locked up
tsc=nowatchdog          # no check of the clock twice a second
audit=0                 # nobody reads audit records
mitigations=off         # the machine is the boundary; what runs inside trusts each other
transparent_hugepage=never # a written byte should dirty 4 KiB, not 2 MiB
cryptomgr.notests       # no self tests of ciphers during boot
random.trust_cpu=on     # start with the CPU's random numbers; the host adds its own
no_timer_check          # virtual timers work
i8042.noaux             # no mouse: probing for one takes long
END
}

# make_manifest CPUS MEMORY_MB
make_manifest() {
  cat >"$work/template.json" <<END
{"cmdline":"$(kernel_parameters)","cpuCount":$1,"memoryMB":$2,"agentPort":49983}
END
}
