// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.tck.support.Requirement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The process of {@code tracked.c}, whose memory stands for a machine's. It is idle except while it
 * executes a command. Built with {@code cc} once for each JVM, or taken from {@code
 * RAMET_TCK_TRACKED} where there is no compiler. Used by one thread.
 */
public final class TrackedProcess implements AutoCloseable {
  public static final int PAGE = 4096;

  /** Bits of a pagemap entry (kernel documentation, admin-guide/mm/pagemap.rst). */
  public static final long PRESENT = 1L << 63;

  public static final long SWAPPED = 1L << 62;
  public static final long FILE_OR_SHARED = 1L << 61;

  private static @Nullable Path built;

  private final Path image;
  private final Process process;
  private final BufferedReader answers;
  private final Writer commands;
  private final long address;

  TrackedProcess(Path image, long bytes) {
    this.image = image;
    try {
      process =
          new ProcessBuilder(program().toString(), image.toString(), Long.toString(bytes))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      answers =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
      commands = process.outputWriter(StandardCharsets.US_ASCII);
      address = Long.parseLong(answer().split(" ", -1)[2], 16);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("the tracked process does not start", e);
    }
  }

  private static synchronized Path program() throws IOException, InterruptedException {
    String given = System.getenv("RAMET_TCK_TRACKED");
    if (given != null) {
      return Path.of(given);
    }
    Path made = built;
    if (made != null) {
      return made;
    }
    Requirement.of("cc", Files.isExecutable(Path.of("/usr/bin/cc")), "no C compiler at /usr/bin");
    Path directory = Files.createTempDirectory("ramet-tck");
    Path source = directory.resolve("tracked.c");
    Path program = directory.resolve("tracked");
    for (Path file : List.of(directory, source, program)) {
      file.toFile().deleteOnExit(); // In reverse order.
    }
    try (InputStream in = TrackedProcess.class.getResourceAsStream("tracked.c")) {
      Files.copy(in, source);
    }
    int status =
        new ProcessBuilder("cc", "-O2", "-pthread", "-o", program.toString(), source.toString())
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException("cc ended with " + status);
    }
    built = program;
    return program;
  }

  long pid() {
    return process.pid();
  }

  /** Returns the address where page 0 was mapped. */
  long address() {
    return address;
  }

  /** Executes a command, waits until it is done, and returns 0 or the error number. */
  int tries(String command, Object... arguments) {
    StringBuilder line = new StringBuilder(command);
    for (Object argument : arguments) {
      line.append(' ').append(argument);
    }
    try {
      commands.write(line.append('\n').toString());
      commands.flush();
      String answer = answer();
      return answer.equals("ok") ? 0 : Integer.parseInt(answer.substring("errno ".length()));
    } catch (IOException e) {
      throw new UncheckedIOException("command " + line, e);
    }
  }

  /** Executes a command, waits until it is done, and requires success. */
  void does(String command, Object... arguments) {
    int errno = tries(command, arguments);
    if (errno != 0) {
      throw new IllegalStateException(command + " answered errno " + errno);
    }
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the tracked process has ended");
    }
    return line;
  }

  /**
   * One mapping of the process.
   *
   * @param start the address of its first byte
   * @param end the address after its last byte
   * @param offset its offset in its file
   * @param image whether its file is the image
   */
  private record Mapping(long start, long end, long offset, boolean image) {}

  private List<Mapping> mappings() {
    List<Mapping> found = new ArrayList<>();
    for (String line : lines("maps")) {
      String[] fields = line.split(" +", 6);
      String[] range = fields[0].split("-", -1);
      boolean ours = fields.length == 6 && fields[5].equals(image.toString());
      found.add(
          new Mapping(
              Long.parseUnsignedLong(range[0], 16),
              Long.parseUnsignedLong(range[1], 16),
              Long.parseLong(fields[2], 16),
              ours));
    }
    return found;
  }

  /**
   * Returns the regions of a memory of this size as they are mapped now: parts of the image, and
   * other memory in the place where it was mapped first.
   */
  List<MemoryRegion> regions(long bytes) {
    List<MemoryRegion> regions = new ArrayList<>();
    for (Mapping mapping : mappings()) {
      long from = Math.max(address, mapping.start());
      long to = Math.min(address + bytes, mapping.end());
      if (mapping.image()) {
        regions.add(
            new MemoryRegion(
                mapping.offset(),
                mapping.start(),
                mapping.end() - mapping.start(),
                MemoryRegion.Kind.PRIVATE_IMAGE));
      } else if (from < to) {
        regions.add(new MemoryRegion(from - address, from, to - from, MemoryRegion.Kind.ANONYMOUS));
      }
    }
    regions.sort(Comparator.comparingLong(MemoryRegion::imageOffset));
    return regions;
  }

  /** Returns the flags of its mappings that a tracker could have changed, with their addresses. */
  Set<String> marks() {
    Set<String> found = new TreeSet<>();
    registrations().forEach(line -> found.add("registered with a userfaultfd: " + line));
    for (String line : lines("status")) {
      if (line.startsWith("TracerPid:") && !line.endsWith("\t0")) {
        found.add("traced: " + line);
      }
    }
    try (var files = Files.list(proc("fd"))) {
      files.forEach(file -> found.add("descriptor " + file.getFileName()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /** Returns whether some of its memory is registered with a userfaultfd. */
  boolean isRegistered() {
    return !registrations().isEmpty();
  }

  private List<String> registrations() {
    return lines("smaps").stream()
        .filter(line -> line.startsWith("VmFlags:"))
        .filter(line -> (line + " ").matches(".* (uw|um|ui) .*"))
        .toList();
  }

  /** Returns how much of its memory is in huge pages. */
  long hugeBytes() {
    return lines("smaps").stream()
        .filter(line -> line.startsWith("AnonHugePages:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .sum();
  }

  private List<String> lines(String name) {
    try {
      return Files.readAllLines(proc(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path proc(String name) {
    return Path.of("/proc", Long.toString(pid()), name);
  }

  /** Reads memory through {@code /proc/<pid>/mem}, which maps absent pages. */
  void read(long from, ByteBuffer into) {
    transfer(from, into, "mem");
  }

  /** Returns the page table entry of the page at an address. */
  long entry(long at) {
    ByteBuffer entry = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    transfer(at / PAGE * Long.BYTES, entry, "pagemap");
    return entry.getLong(0);
  }

  private void transfer(long from, ByteBuffer into, String file) {
    try (FileChannel channel = FileChannel.open(proc(file), StandardOpenOption.READ)) {
      long at = from;
      while (into.hasRemaining()) {
        int n = channel.read(into, at);
        if (n <= 0) {
          throw new IOException("nothing at " + at);
        }
        at += n;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes memory as a debugger does. */
  void write(long to, ByteBuffer from) {
    try (FileChannel channel = FileChannel.open(proc("mem"), StandardOpenOption.WRITE)) {
      long at = to;
      while (from.hasRemaining()) {
        at += channel.write(from, at);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the process and waits until it is gone. Idempotent. */
  @Override
  public void close() {
    process.destroyForcibly();
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
