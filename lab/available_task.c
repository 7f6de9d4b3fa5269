// SPDX-License-Identifier: Apache-2.0
//
// Preloaded by the programs of machines with an emulated KVM, for the QEMUs among them.
//
// KVM, like a processor, always has the guest's task state segment marked as busy (type 11;
// svm_get_segment in Linux's arch/x86/kvm/svm/svm.c). The lab's emulator marks it as available (9)
// when a guest loads it, and lets the guest's programs use ports only while it is (helper_check_io
// in QEMU's target/i386/tcg). Once the registers have been saved and restored, every `in` and `out`
// of a program is a general protection fault, even with permission by ioperm(2). This library
// restores the type that the emulator expects.
#include <errno.h>
#include <linux/kvm.h>
#include <stdarg.h>
#include <sys/syscall.h>

int ioctl(int fd, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void *argument = va_arg(more, void *);
  va_end(more);
  if (request == KVM_SET_SREGS) ((struct kvm_sregs *)argument)->tr.type &= ~2;
#ifdef KVM_SET_SREGS2
  if (request == KVM_SET_SREGS2) ((struct kvm_sregs2 *)argument)->tr.type &= ~2;
#endif
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"((long)SYS_ioctl), "D"((long)fd), "S"(request), "d"(argument)
                   : "rcx", "r11", "memory");
  if (result < 0) {
    errno = (int)-result;
    return -1;
  }
  return (int)result;
}
