// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A BPF program that filters the traffic of the processes of a control group (bpf(2), linux/bpf.h).
 * Once attached, it stays until another one replaces it or the group is removed, even after this
 * process ends. Needs CAP_BPF and CAP_NET_ADMIN, and version 2 of control groups. Immutable and
 * thread-safe.
 */
public final class CgroupProgram {
  private static final int BPF_PROG_LOAD = 5;
  private static final int BPF_PROG_ATTACH = 8;
  private static final int LOAD_BYTES = 72;
  private static final int ATTACH_BYTES = 20;
  private static final int LOG_BYTES = 64 * 1024;
  private static final int MOST_TOLD = 400;
  private static final byte[] LICENCE = "Apache-2.0\0".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NAME = "ramet_egress".getBytes(StandardCharsets.US_ASCII);

  /**
   * The point at which a program decides, which determines its context. The result 1 accepts, 0
   * refuses.
   */
  public enum Hook {
    /** Every packet that leaves; the context is {@code struct __sk_buff}, beginning with IP. */
    EGRESS(8, 1),
    /** connect(2) to an IPv4 address; {@code struct bpf_sock_addr}. Refused with EPERM. */
    CONNECT4(18, 10),
    /** connect(2) to an IPv6 address. */
    CONNECT6(18, 11),
    /** sendto(2) to an IPv4 address, unconnected. */
    SENDMSG4(18, 14),
    /** sendto(2) to an IPv6 address, unconnected. */
    SENDMSG6(18, 15);

    private final int programType;
    private final int attachType;

    Hook(int programType, int attachType) {
      this.programType = programType;
      this.attachType = attachType;
    }
  }

  private CgroupProgram() {}

  /**
   * Attaches a program in place of the previous one.
   *
   * @param group a directory of the cgroup2 file system
   * @throws LinuxException EPERM without the privileges, ENOSYS or EINVAL on a kernel without
   *     support; the message includes what the kernel's verifier says about a program it refuses
   */
  public static void attach(Path group, Hook hook, BpfCode code) throws LinuxException {
    int program = load(hook, code);
    try (Fd directory = Fd.openDirectory(group);
        NativeBuffer attributes = NativeBuffer.allocate(ATTACH_BYTES)) {
      attributes
          .view(0, ATTACH_BYTES)
          .putInt(directory.number())
          .putInt(program)
          .putInt(hook.attachType)
          .putInt(0)
          .putInt(0);
      long result = bpf(BPF_PROG_ATTACH, attributes.address(), ATTACH_BYTES);
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException("bpf BPF_PROG_ATTACH " + hook, errno, group.toString());
      }
    } finally {
      ProcessCalls.close(program);
    }
  }

  private static int load(Hook hook, BpfCode code) throws LinuxException {
    byte[] instructions = code.bytes();
    int licenceAt = LOAD_BYTES;
    int codeAt = licenceAt + 16;
    int logAt = codeAt + instructions.length;
    try (NativeBuffer memory = NativeBuffer.allocate(logAt + LOG_BYTES)) {
      memory.view(licenceAt, LICENCE.length).put(LICENCE);
      memory.view(codeAt, instructions.length).put(instructions);
      ByteBuffer attributes = memory.view(0, LOAD_BYTES).order(ByteOrder.nativeOrder());
      attributes.putInt(0, hook.programType).putInt(4, code.count());
      attributes.putLong(8, memory.address() + codeAt);
      attributes.putLong(16, memory.address() + licenceAt);
      attributes.position(48).put(NAME);
      attributes.putInt(68, hook.attachType);
      long program = bpf(BPF_PROG_LOAD, memory.address(), LOAD_BYTES);
      int errno = program < 0 ? Native.getLastError() : 0;
      if (program >= 0) {
        return (int) program;
      }
      if (errno != LinuxException.EINVAL && errno != LinuxException.EACCES) {
        throw new LinuxException("bpf BPF_PROG_LOAD " + hook, errno, "a program");
      }
      // Tries again with a log, to get the reason.
      attributes.putInt(24, 1).putInt(28, LOG_BYTES).putLong(32, memory.address() + logAt);
      long again = bpf(BPF_PROG_LOAD, memory.address(), LOAD_BYTES);
      if (again >= 0) {
        return (int) again;
      }
      throw new LinuxException(
          "bpf BPF_PROG_LOAD " + hook, errno, "a program: " + text(memory.view(logAt, LOG_BYTES)));
    }
  }

  private static String text(ByteBuffer log) {
    StringBuilder said = new StringBuilder();
    while (log.hasRemaining()) {
      int next = log.get();
      if (next == 0) {
        break;
      }
      said.append((char) next);
    }
    // The reason stands at the end of the log.
    return said.substring(Math.max(0, said.length() - MOST_TOLD)).replace('\n', ' ').strip();
  }

  static long bpf(int command, long attributes, int bytes) {
    return TraceCalls.syscall(number(), command, attributes, bytes);
  }

  /** From asm/unistd_64.h, and from asm-generic/unistd.h, which arm64 and riscv64 use. */
  private static long number() {
    return System.getProperty("os.arch", "").equals("amd64") ? 321 : 280;
  }
}
