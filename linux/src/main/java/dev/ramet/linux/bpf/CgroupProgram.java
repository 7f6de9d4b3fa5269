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
import java.util.Map;

/**
 * A BPF program that filters the traffic of the processes of a control group (bpf(2), linux/bpf.h).
 * Once attached, it stays until another one replaces it or the group is removed, even after this
 * process ends. Needs CAP_BPF and CAP_NET_ADMIN, and version 2 of control groups. Used by one
 * thread.
 */
final class CgroupProgram implements AutoCloseable {
  private static final int BPF_PROG_LOAD = 5;
  private static final int BPF_PROG_ATTACH = 8;
  private static final int LOAD_BYTES = 72;
  private static final int ATTACH_BYTES = 20;
  private static final int LOG_BYTES = 1024 * 1024;
  private static final int MAX_TOLD = 400;
  private static final int LICENSE_BYTES = 16;
  private static final int INSTRUCTION_BYTES = 8;
  private static final byte[] NAME = "ramet_egress".getBytes(StandardCharsets.US_ASCII);

  /**
   * The point at which a program decides, which determines its context. The result 1 accepts, 0
   * refuses.
   */
  enum Hook {
    /** Every packet that leaves; the context is {@code struct __sk_buff}, beginning with IP. */
    EGRESS("cgroup_skb/egress", 8, 1),
    /** connect(2) to an IPv4 address; {@code struct bpf_sock_addr}. Refused with EPERM. */
    CONNECT4("cgroup/connect4", 18, 10),
    /** connect(2) to an IPv6 address. */
    CONNECT6("cgroup/connect6", 18, 11),
    /** sendto(2) to an IPv4 address, unconnected. */
    SENDMSG4("cgroup/sendmsg4", 18, 14),
    /** sendto(2) to an IPv6 address, unconnected. */
    SENDMSG6("cgroup/sendmsg6", 18, 15);

    private final String section;
    private final int programType;
    private final int attachType;

    Hook(String section, int programType, int attachType) {
      this.section = section;
      this.programType = programType;
      this.attachType = attachType;
    }
  }

  private final Hook hook;
  private final int number;
  private boolean closed;

  private CgroupProgram(Hook hook, int number) {
    this.hook = hook;
    this.number = number;
  }

  /**
   * Loads a program for the hook from an object file.
   *
   * @param maps the maps that the program uses, by name; the caller may close them afterwards
   * @throws LinuxException EPERM without the privileges, ENOSYS or EINVAL on a kernel without
   *     support; the message includes what the kernel's verifier says about a program it refuses
   */
  static CgroupProgram load(Hook hook, BpfObject object, Map<String, BpfMap> maps)
      throws LinuxException {
    byte[] instructions = object.link(hook.section, maps);
    byte[] license = (object.license() + "\0").getBytes(StandardCharsets.US_ASCII);
    int licenseAt = LOAD_BYTES;
    int codeAt = licenseAt + LICENSE_BYTES;
    int logAt = codeAt + instructions.length;
    try (NativeBuffer memory = NativeBuffer.allocate(logAt + LOG_BYTES)) {
      memory.view(licenseAt, LICENSE_BYTES).put(license);
      memory.view(codeAt, instructions.length).put(instructions);
      ByteBuffer attributes = memory.view(0, LOAD_BYTES).order(ByteOrder.nativeOrder());
      attributes.putInt(0, hook.programType).putInt(4, instructions.length / INSTRUCTION_BYTES);
      attributes.putLong(8, memory.address() + codeAt);
      attributes.putLong(16, memory.address() + licenseAt);
      attributes.position(48).put(NAME);
      attributes.putInt(68, hook.attachType);
      long program = bpf(BPF_PROG_LOAD, memory.address(), LOAD_BYTES);
      int errno = program < 0 ? Native.getLastError() : 0;
      if (program >= 0) {
        return new CgroupProgram(hook, (int) program);
      }
      if (errno != LinuxException.EINVAL && errno != LinuxException.EACCES) {
        throw new LinuxException("bpf BPF_PROG_LOAD " + hook, errno, "a program");
      }
      // Tries again with a log, to get the reason.
      attributes.putInt(24, 1).putInt(28, LOG_BYTES).putLong(32, memory.address() + logAt);
      long again = bpf(BPF_PROG_LOAD, memory.address(), LOAD_BYTES);
      if (again >= 0) {
        return new CgroupProgram(hook, (int) again);
      }
      throw new LinuxException(
          "bpf BPF_PROG_LOAD " + hook,
          errno,
          "a program: " + logText(memory.view(logAt, LOG_BYTES)));
    }
  }

  /**
   * Attaches the program in place of the previous one.
   *
   * @param group a directory of the cgroup2 file system
   */
  void attach(Path group) throws LinuxException {
    if (closed) {
      throw new IllegalStateException("a program that is closed");
    }
    try (Fd directory = Fd.openDirectory(group);
        NativeBuffer attributes = NativeBuffer.allocate(ATTACH_BYTES)) {
      attributes
          .view(0, ATTACH_BYTES)
          .putInt(directory.number())
          .putInt(number)
          .putInt(hook.attachType)
          .putInt(0)
          .putInt(0);
      long result = bpf(BPF_PROG_ATTACH, attributes.address(), ATTACH_BYTES);
      int errno = result < 0 ? Native.getLastError() : 0;
      if (result < 0) {
        throw new LinuxException("bpf BPF_PROG_ATTACH " + hook, errno, group.toString());
      }
    }
  }

  /** Closes the program; where it is attached, it stays. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ProcessCalls.close(number);
    }
  }

  private static String logText(ByteBuffer log) {
    StringBuilder said = new StringBuilder();
    while (log.hasRemaining()) {
      int next = log.get();
      if (next == 0) {
        break;
      }
      said.append((char) next);
    }
    // The reason stands at the end of the log.
    return said.substring(Math.max(0, said.length() - MAX_TOLD)).replace('\n', ' ').strip();
  }

  static long bpf(int command, long attributes, int bytes) {
    return TraceCalls.syscall(number(), command, attributes, bytes);
  }

  /** From asm/unistd_64.h, and from asm-generic/unistd.h, which arm64 and riscv64 use. */
  private static long number() {
    return System.getProperty("os.arch", "").equals("amd64") ? 321 : 280;
  }
}
