// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.memory;

import com.sun.jna.Native;
import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.FileCalls;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.injection.Injector;
import dev.ramet.linux.process.ThreadChoice;

/**
 * Write protection of memory that the kernel lifts by itself at the first write to a page
 * (userfaultfd(2), {@code UFFD_FEATURE_WP_ASYNC} of linux/userfaultfd.h, since Linux 6.7): a page
 * that is no longer protected was written. {@link PagemapScan} protects pages and finds the written
 * ones.
 *
 * <p>Registered memory stays registered until {@link #close}, or until this process ends. Not
 * thread-safe.
 */
public final class Userfaultfd implements AutoCloseable {
  private static final long UFFDIO_API = 0xC018AA3FL;
  private static final long UFFDIO_REGISTER = 0xC020AA00L;
  private static final long UFFDIO_UNREGISTER = 0x8010AA01L;
  private static final long UFFDIO_WRITEPROTECT = 0xC018AA06L;
  private static final long UFFD_API = 0xAA;
  private static final long FEATURE_WP_UNPOPULATED = 1 << 13;
  private static final long FEATURE_WP_ASYNC = 1 << 15;
  private static final long MODE_WP = 2;
  private static final long WRITEPROTECT_MODE_WP = 1;
  private static final int ARGUMENT_BYTES = 32;

  /**
   * {@code UFFD_USER_MODE_ONLY} lets unprivileged users open one. No fault is ever handled here, so
   * the kernel's own writes are resolved like any other.
   */
  public static final long FLAGS = 0x80000 | 0x800 | 1;

  private final String subject;
  private final NativeBuffer argument;
  private int fd;

  private Userfaultfd(int fd, String subject) throws LinuxException {
    this.fd = fd;
    this.subject = subject;
    this.argument = NativeBuffer.allocate(ARGUMENT_BYTES);
  }

  /**
   * Returns whether this processor is one that {@link #openIn} and {@link #openHere} know: x86-64.
   */
  public static boolean supported() {
    return System.getProperty("os.arch", "").equals("amd64");
  }

  /**
   * Opens one for this process's own memory.
   *
   * @throws LinuxException ENOSYS without userfaultfd, EINVAL before Linux 6.7, EPERM when a filter
   *     forbids it
   */
  public static Userfaultfd openHere() throws LinuxException {
    long fd = TraceCalls.syscall(TraceCalls.NR_USERFAULTFD, FLAGS, 0, 0);
    int errno = fd < 0 ? Native.getLastError() : 0;
    if (fd < 0) {
      throw new LinuxException("userfaultfd", errno, "this process");
    }
    return start((int) fd, "this process");
  }

  /**
   * Opens a userfaultfd for the memory of another process, which this process must be allowed to
   * trace. One of its threads is stopped for a fraction of a millisecond; afterwards the process is
   * as it was, and only this process has the descriptor.
   *
   * @throws LinuxException EPERM if this process may not trace that one, ESRCH or ENOENT if it has
   *     ended, EINVAL before Linux 6.7
   * @throws InjectionException if the call cannot be made there
   */
  public static Userfaultfd openIn(long pid) throws LinuxException, InjectionException {
    if (!supported()) {
      throw new InjectionException(
          InjectionException.Reason.ARCHITECTURE,
          "system calls can be injected on x86-64 only, not on " + System.getProperty("os.arch"));
    }
    Injector injector = new Injector(pid, FLAGS, step -> {});
    return start(injector.open(ThreadChoice.candidates(pid)), "process " + pid);
  }

  private static Userfaultfd start(int fd, String subject) throws LinuxException {
    Userfaultfd opened = new Userfaultfd(fd, subject);
    try {
      opened.ioctl(
          "UFFDIO_API", UFFDIO_API, UFFD_API, FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED, 0);
      return opened;
    } catch (LinuxException e) {
      opened.close();
      throw e;
    }
  }

  /**
   * Makes mappings trackable; nothing is protected yet. Mappings that are already registered stay
   * so.
   *
   * @throws LinuxException EBUSY if another userfaultfd has registered it, EINVAL if it is not
   *     mapped or of an unsupported kind, ENOMEM if the address space is gone or can have no more
   *     mappings
   */
  public void register(long address, long lengthBytes) throws LinuxException {
    ioctl("UFFDIO_REGISTER", UFFDIO_REGISTER, address, lengthBytes, MODE_WP);
  }

  /** Undoes {@link #register}; all marks on the pages go too. */
  public void unregister(long address, long lengthBytes) throws LinuxException {
    ioctl("UFFDIO_UNREGISTER", UFFDIO_UNREGISTER, address, lengthBytes, 0);
  }

  /**
   * Write-protects every page of registered memory, the absent ones too: they stay protected when
   * they are read for the first time. Takes the page tables of all of it, 2 MiB a GiB.
   *
   * @throws LinuxException ENOENT when a part is not registered, ESRCH when the address space is
   *     gone, ENOMEM without memory for page tables
   */
  public void protect(long address, long lengthBytes) throws LinuxException {
    ioctl("UFFDIO_WRITEPROTECT", UFFDIO_WRITEPROTECT, address, lengthBytes, WRITEPROTECT_MODE_WP);
  }

  private void ioctl(String name, long request, long first, long second, long third)
      throws LinuxException {
    argument.view(0, ARGUMENT_BYTES).putLong(first).putLong(second).putLong(third).putLong(0);
    int result;
    int errno;
    do {
      result = FileCalls.ioctl(fd, request, argument.address());
      errno = result < 0 ? Native.getLastError() : 0;
      // EAGAIN: the layout of the address space is changing at this very moment.
    } while (result < 0 && (errno == Errnos.EINTR || errno == Errnos.EAGAIN));
    if (result < 0) {
      throw new LinuxException("ioctl " + name, errno, subject);
    }
  }

  /** Gives up everything that was registered. Idempotent. */
  @Override
  public void close() {
    if (fd >= 0) {
      ProcessCalls.close(fd);
      fd = -1;
      argument.close();
    }
  }
}
