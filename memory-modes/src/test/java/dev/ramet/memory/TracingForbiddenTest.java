// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.process.ProcMaps;
import dev.ramet.linux.process.ProcessMemory;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.testing.Require;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests write tracking where this process may not trace another one, for lack of a capability or
 * because Yama forbids it: refused, with the operator's remedy. Needs a disposable machine, because
 * Yama's last value cannot be taken back.
 */
@Timeout(900)
class TracingForbiddenTest {
  private static final Path SCOPE = Path.of("/proc/sys/kernel/yama/ptrace_scope");
  private static final String USABLE = "usable";
  private static final String ATTACHED = "attached";
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all");
  private static final List<String> AS_WEAKER_ROOT =
      List.of("setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-all");

  /** A process that waits, and is a grandchild, as hypervisors may be; both end with input. */
  private static final String TARGET = "sh -c 'echo $$; read line'; exit";

  private final Path directory;

  TracingForbiddenTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void itIsRefusedWithWhatAnOperatorCanDo() throws Exception {
    Require.root();
    boolean expendable = Boolean.getBoolean("ramet.lab") && Files.isWritable(SCOPE);
    Require.feature("yama", expendable, "needs a machine to throw away, with Yama");
    ProbeResult found = new WriteTrackingProvider().probe(new ProbeContext(directory));
    Require.feature("userfaultfd", found instanceof ProbeResult.Usable, found.toString());
    assertEquals(0, new ProcessBuilder("chmod", "777", directory.toString()).start().waitFor());
    Process roots = start(List.of(), "sh", "-c", TARGET);
    Process nobodys = start(AS_NOBODY, "sh", "-c", TARGET);
    try {
      GuestMemory other = memory(nobodys);
      GuestMemory own = memory(roots);

      Files.writeString(SCOPE, "0");
      assertEquals(List.of(USABLE, ATTACHED), attempt(AS_NOBODY, other));
      List<String> weaker = attempt(AS_WEAKER_ROOT, own);
      assertEquals(USABLE, weaker.get(0), "a child is no stronger than its parent");
      assertRefused("HOST_UNFIT", "CAP_SYS_PTRACE", weaker.get(1));

      Files.writeString(SCOPE, "1");
      List<String> stranger = attempt(AS_NOBODY, other);
      assertEquals(USABLE, stranger.get(0), "a child may be traced");
      assertRefused("HOST_UNFIT", "ptrace_scope is 1", stranger.get(1));
      assertEquals(List.of(USABLE, ATTACHED), attempt(directory, own));

      Files.writeString(SCOPE, "2");
      List<String> nobody = attempt(AS_NOBODY, other);
      assertRefused("another process cannot be traced", "ptrace_scope is 2", nobody.get(0));
      assertRefused("HOST_UNFIT", "ptrace_scope is 2", nobody.get(1));
      assertEquals(List.of(USABLE, ATTACHED), attempt(directory, own));

      Files.writeString(SCOPE, "3");
      List<String> everybody = attempt(directory, own);
      assertRefused("another process cannot be traced", "boot", everybody.get(0));
      assertRefused("HOST_UNFIT", "boot", everybody.get(1));
      assertTrue(roots.isAlive() && nobodys.isAlive(), "a refusal does no harm");
      assertNoCapture(own);
    } finally {
      roots.destroyForcibly().waitFor();
      nobodys.destroyForcibly().waitFor();
    }
  }

  /** Reading memory is forbidden as well, so no other mode can capture either. */
  private static void assertNoCapture(GuestMemory memory) throws LinuxException {
    try (ProcessMemory pages = new ProcessMemory(memory.pid());
        NativeBuffer buffer = NativeBuffer.allocate(NativeBuffer.PAGE_BYTES)) {
      pages.add(memory.regions().get(0).address(), NativeBuffer.PAGE_BYTES);
      LinuxException e = assertThrows(LinuxException.class, () -> pages.read(buffer, 0));
      assertEquals(LinuxException.EPERM, e.errno());
    }
  }

  private static void assertRefused(String code, String remedy, String outcome) {
    assertTrue(outcome.startsWith(code + ": "), outcome);
    assertTrue(outcome.contains(remedy), outcome);
  }

  private static Process start(List<String> as, String... command) throws IOException {
    List<String> all = new ArrayList<>(as);
    all.addAll(List.of(command));
    return new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /**
   * Returns a private mapping of a file that the process's child has, which stands for a machine's
   * memory.
   */
  private static GuestMemory memory(Process process) throws Exception {
    long pid = Long.parseLong(String.valueOf(process.inputReader().readLine()));
    String program = Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe")).toString();
    for (ProcMaps.Mapping mapping : ProcMaps.read(pid)) {
      if (mapping.path().equals(program)) {
        return memory(pid, mapping.start(), mapping.end() - mapping.start());
      }
    }
    throw new AssertionError("a process without its program");
  }

  private static GuestMemory memory(long pid, long address, long length) {
    return new GuestMemory(
        pid,
        length,
        List.of(new MemoryRegion(0, address, length, MemoryRegion.Kind.PRIVATE_IMAGE)));
  }

  /**
   * Returns the results of probing and attaching in another process, as an argument of a command.
   */
  private List<String> attempt(List<String> as, GuestMemory memory) throws Exception {
    MemoryRegion region = memory.regions().get(0);
    String path =
        String.join(
            File.pathSeparator,
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""));
    Process process =
        start(
            as,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Djna.tmpdir=" + directory,
            "-cp",
            path,
            Attempt.class.getName(),
            directory.toString(),
            Long.toString(memory.pid()),
            Long.toString(region.address()),
            Long.toString(region.lengthBytes()));
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said.lines().toList();
  }

  /** Returns the results of probing and attaching: a word, or the reason or code and the remedy. */
  private static List<String> attempt(Path where, GuestMemory memory) {
    ProbeResult found = new WriteTrackingProvider().probe(new ProbeContext(where));
    String probed =
        found instanceof ProbeResult.Unusable no ? no.reason() + ": " + no.remedy() : USABLE;
    try {
      new WriteTracking().attach(memory).close();
      return List.of(probed, ATTACHED);
    } catch (RametException e) {
      return List.of(probed, e.code() + ": " + e.getMessage() + ": " + e.remedy());
    }
  }

  /** Runs in a process with fewer permissions. */
  static final class Attempt {
    private Attempt() {}

    public static void main(String[] arguments) {
      GuestMemory memory =
          memory(
              Long.parseLong(arguments[1]),
              Long.parseLong(arguments[2]),
              Long.parseLong(arguments[3]));
      attempt(Path.of(arguments[0]), memory).forEach(System.out::println);
    }
  }
}
