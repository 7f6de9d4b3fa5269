// SPDX-License-Identifier: Apache-2.0
package dev.ramet.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The process of {@code tracee.c}, started through a shell, so that it is a grandchild and its
 * first thread can be traced too. Needs gcc, or the program itself in {@code RAMET_TRACEE}.
 */
public final class Tracee implements AutoCloseable {
  private final Process shell;
  private final BufferedReader answers;
  private final Writer commands;
  private final long pid;
  private final long address;

  /**
   * Compiles and starts it.
   *
   * @param mode {@code threads}, {@code single}, or the number a seccomp filter answers userfaultfd
   *     with, or, followed by {@code @} and its number, another system call
   */
  public Tracee(Path directory, Path image, int pages, String mode) throws Exception {
    this(directory, image, pages, mode, false);
  }

  /**
   * Compiles and starts it.
   *
   * @param child whether as a direct child of this process
   */
  public Tracee(Path directory, Path image, int pages, String mode, boolean child)
      throws Exception {
    Path program = compile(directory);
    List<String> command = new ArrayList<>();
    if (!child) {
      // The shell must stay, or it would replace itself by its only command.
      command.addAll(List.of("sh", "-c", "\"$@\"; exit $?", "sh"));
    }
    command.addAll(List.of(program.toString(), image.toString(), Integer.toString(pages), mode));
    shell = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    answers =
        new BufferedReader(
            new InputStreamReader(shell.getInputStream(), StandardCharsets.US_ASCII));
    commands = shell.outputWriter(StandardCharsets.US_ASCII);
    String[] ready = answer().split(" ", -1);
    pid = Long.parseLong(ready[1]);
    address = Long.parseLong(ready[2], 16);
  }

  private static Path compile(Path directory) throws Exception {
    String built = System.getenv("RAMET_TRACEE");
    if (built != null) {
      return Path.of(built); // Built where there is a compiler, for a host without one.
    }
    boolean present = Files.isExecutable(Path.of("/usr/bin/gcc"));
    Require.feature("gcc", present, "needs gcc");
    Path program = directory.resolve("tracee");
    if (!Files.exists(program)) {
      Path source = directory.resolve("tracee.c");
      try (InputStream in = Tracee.class.getResourceAsStream("tracee.c")) {
        Files.copy(in, source);
      }
      Process gcc =
          new ProcessBuilder("gcc", "-O2", "-pthread", "-o", program.toString(), source.toString())
              .inheritIO()
              .start();
      if (gcc.waitFor() != 0) {
        throw new IllegalStateException("gcc failed");
      }
    }
    return program;
  }

  /** Returns the process. */
  public long pid() {
    return pid;
  }

  /** Returns the address where it mapped the image. */
  public long address() {
    return address;
  }

  /** Makes it do something and waits until it is done; see {@code tracee.c}. */
  public void command(String line) throws IOException {
    send(line);
    String answer = answer();
    if (!answer.equals("ok")) {
      throw new IllegalStateException(line + ": " + answer);
    }
  }

  /** Makes it do something and does not wait. */
  public void send(String line) throws IOException {
    commands.write(line + "\n");
    commands.flush();
  }

  /**
   * Returns how often its threads were disturbed: wrong sums, interrupted futex, ppoll, nanosleep
   * and read, signals lost, all 0 if all is well; and how many rounds the busy thread made.
   */
  public long[] disturbances() throws IOException {
    send("s");
    String[] numbers = answer().split(" ", -1);
    long[] counts = new long[numbers.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = Long.parseLong(numbers[i]);
    }
    return counts;
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("tracee ended");
    }
    return line;
  }

  /**
   * Returns the thread of a name: busy, futex, ppoll, sleep, read, epoll, signals, deep or tracee.
   */
  public long thread(String name) throws IOException {
    try (var threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : (Iterable<Path>) threads::iterator) {
        if (Files.readString(thread.resolve("comm")).trim().equals(name)) {
          return Long.parseLong(String.valueOf(thread.getFileName()));
        }
      }
    }
    throw new IllegalArgumentException("no thread " + name);
  }

  /** Returns its open descriptors and what they refer to. */
  public Set<String> descriptors() throws IOException {
    Set<String> found = new TreeSet<>();
    try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path fd : (Iterable<Path>) files::iterator) {
        found.add(fd.getFileName() + " " + Files.readSymbolicLink(fd));
      }
    }
    return found;
  }

  /** Sends a signal to the process. */
  public void kill(String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
  }

  /** Returns whether it still exists. */
  public boolean alive() {
    return ProcessHandle.of(pid).isPresent();
  }

  /** Returns whether the process that started it still sees it run. */
  public boolean parentSeesItRun() {
    return shell.isAlive();
  }

  /** Ends it. */
  @Override
  public void close() throws Exception {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    shell.destroyForcibly().waitFor();
    answers.close();
  }
}
