// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import dev.ramet.bench.report.Samples;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the programs that measure floors, the lower bounds that results are compared with. Times are
 * in milliseconds. Used by one thread.
 */
public final class Floors {
  private final Settings settings;

  public Floors(Settings settings) {
    this.settings = settings;
  }

  /**
   * Bare restores.
   *
   * @param each the duration of each
   * @param totalMs the duration of all together
   */
  public record Restores(Samples each, double totalMs) {}

  /**
   * Pauses as short as saving a machine's devices allows. No host may be connected to the machine.
   *
   * @param all the durations of the pauses
   * @param phases the durations of their parts, by the engine's names for its own
   */
  public record Pauses(Samples all, Map<String, Samples> phases) {
    private static final List<String> NAMES = List.of("stop", "devices", "resume");

    public Pauses() {
      this(new Samples(), new HashMap<>());
    }

    private void add(String line) {
      String[] nanos = line.split(" ", -1);
      all.add(Long.parseLong(nanos[0]) / 1e6);
      for (int i = 0; i < NAMES.size(); i++) {
        phases
            .computeIfAbsent(NAMES.get(i), name -> new Samples())
            .add(Long.parseLong(nanos[i + 1]) / 1e6);
      }
    }
  }

  /**
   * Makes {@code warmUp + count} pauses, and adds all but the first {@code warmUp} to {@code into}.
   */
  public void pauses(Machine machine, int warmUp, int count, Pauses into)
      throws IOException, InterruptedException {
    Path state = machine.scratch().resolve("state");
    List<String> command =
        List.of(
            program("pause-floor"), "qmp.sock", state.toString(), Integer.toString(warmUp + count));
    // In the machine's directory, because a socket's path is limited to 108 bytes.
    List<String> lines = run(command, machine.directory());
    lines.subList(warmUp, lines.size()).forEach(into::add);
  }

  /** Makes restores like the one that started {@code machine}. */
  public Restores restores(Machine machine, Machine.Saved saved, int count, int concurrency)
      throws IOException, InterruptedException {
    return restores(Long.toString(machine.pid()), machine, saved, count, concurrency);
  }

  /**
   * Makes restores like the one that started {@code machine}, which may have ended.
   *
   * @param model its process, or the path of a copy of its command line
   */
  public Restores restores(
      String model, Machine machine, Machine.Saved saved, int count, int concurrency)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            program("spawn-floor"),
            model,
            saved.devices().toString(),
            saved.disk().toString(),
            machine.scratch().toString(),
            Integer.toString(count),
            Integer.toString(concurrency));
    Samples each = new Samples();
    double total = 0;
    for (String line : run(command, settings.work())) {
      if (line.startsWith("total ")) {
        total = Long.parseLong(line.substring(6)) / 1e6;
      } else {
        each.add(Long.parseLong(line) / 1e6);
      }
    }
    return new Restores(each, total);
  }

  /** Returns the anonymous memory of a hypervisor process that has loaded nothing. */
  public Procfs.Anonymous empty(Machine machine, Machine.Saved saved)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                program("empty-vmm"),
                Long.toString(machine.pid()),
                saved.disk().toString(),
                machine.scratch().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = process.inputReader()) {
      String pid = out.readLine();
      if (pid == null) {
        throw new IOException("empty-vmm failed");
      }
      return Procfs.anonymous(Long.parseLong(pid), machine.image());
    } finally {
      process.getOutputStream().close();
      process.waitFor();
    }
  }

  /** Returns how long a JVM with these flags takes to do nothing. */
  public double emptyJvm(String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(settings.java().toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Nothing.class.getName()));
    return time(command, Map.of());
  }

  /** Returns how long a program takes with these additional environment variables. */
  public double time(List<String> command, Map<String, String> variables)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(variables);
    long begin = System.nanoTime();
    Process process = builder.start();
    int status = process.waitFor();
    double took = Host.millisSince(begin);
    if (status != 0) {
      throw new IOException(command.get(0) + " ended with status " + status);
    }
    return took;
  }

  /** Runs a program and returns the lines of its output. */
  public List<String> run(List<String> command, Path directory)
      throws IOException, InterruptedException {
    return run(command, directory, Map.of());
  }

  /** Runs a program with additional environment variables and returns the lines of its output. */
  public List<String> run(List<String> command, Path directory, Map<String, String> variables)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(variables);
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      List<String> lines = out.lines().toList();
      int status = process.waitFor();
      if (status != 0) {
        throw new IOException(command.get(0) + " ended with status " + status);
      }
      return lines;
    } finally {
      process.destroy();
    }
  }

  /** Returns the path of a floor's program, which must exist. */
  public String program(String name) {
    Path program = settings.floors().resolve(name);
    if (!Files.isExecutable(program)) {
      throw new IllegalStateException(program + " is missing; bench/run builds it");
    }
    return program.toString();
  }
}
