// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Progress;
import dev.ramet.engine.internal.Trees;
import dev.ramet.engine.store.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A program that makes a template's images: {@code recipe key} names what it would make, {@code
 * recipe build DIR} makes it, a line of output for each step.
 */
final class Recipe {
  private static final int LINES_IN_ERRORS = 15;

  private final EngineConfig config;
  private final Path program;

  private Recipe(EngineConfig config, Path program) {
    this.config = config;
    this.program = program;
  }

  /**
   * What a recipe says of the machine its images are for.
   *
   * @param kernelArguments the kernel command line
   * @param cpuCount virtual CPUs
   * @param memoryMb guest memory
   * @param agentPort the agent's port, or null when there is none
   */
  record Machine(
      @JsonProperty("cmdline") String kernelArguments,
      int cpuCount,
      @JsonProperty("memoryMB") long memoryMb,
      @Nullable Integer agentPort) {}

  /** The names of all recipes. */
  static List<String> names(EngineConfig config) {
    try {
      List<String> names = new ArrayList<>();
      for (Path directory : Trees.children(config.guestDirectory().resolve("templates"))) {
        if (Files.isExecutable(directory.resolve("recipe"))) {
          names.add(String.valueOf(directory.getFileName()));
        }
      }
      return names;
    } catch (IOException e) {
      throw Errors.io("cannot list recipes", config.dataRoot(), e);
    }
  }

  /** The recipe with this name. */
  static Recipe named(EngineConfig config, String name) {
    List<String> names = names(config);
    if (!names.contains(name)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "recipe not found: " + name,
          names.isEmpty()
              ? "no recipes are installed in " + config.guestDirectory()
              : "there are: " + String.join(", ", names),
          null);
    }
    return new Recipe(
        config, config.guestDirectory().resolve("templates").resolve(name).resolve("recipe"));
  }

  /** Names the content it would make. */
  String key(@Nullable Long diskBytes) {
    List<String> lines = new ArrayList<>();
    run(List.of("key"), diskBytes, lines::add);
    if (lines.isEmpty()) {
      throw new RametException(ErrorCode.HOST_UNFIT, program + " key printed nothing");
    }
    return lines.get(lines.size() - 1).strip();
  }

  /** Makes the images in an existing directory. */
  Machine build(Path directory, @Nullable Long diskBytes, Progress progress) {
    run(List.of("build", directory.toString()), diskBytes, progress);
    try {
      return Json.read(directory.resolve("template.json"), Machine.class);
    } catch (IOException e) {
      throw Errors.io("the recipe left no template.json", directory, e);
    }
  }

  private void run(List<String> arguments, @Nullable Long diskBytes, Progress lines) {
    List<String> command = new ArrayList<>();
    command.add(program.toAbsolutePath().toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .put(
            "RAMET_AGENT",
            config.guestDirectory().resolve("ramet-agent").toAbsolutePath().toString());
    builder.environment().put("RAMET_CACHE", config.cacheDirectory().toAbsolutePath().toString());
    if (diskBytes != null) {
      builder.environment().put("RAMET_DISK_MB", Long.toString(diskBytes >> 20));
    }
    Deque<String> last = new ArrayDeque<>();
    try {
      Process process = builder.start();
      try (BufferedReader output = process.inputReader()) {
        process.getOutputStream().close();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
          lines.step(line);
          last.addLast(line);
          if (last.size() > LINES_IN_ERRORS) {
            last.removeFirst();
          }
        }
        int status = process.waitFor();
        if (status != 0) {
          throw new RametException(
              ErrorCode.HOST_UNFIT,
              program
                  + " "
                  + arguments.get(0)
                  + " ended with status "
                  + status
                  + ":\n"
                  + String.join("\n", last));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RametException(ErrorCode.CANCELLED, "interrupted while building a template", e);
      } finally {
        process.destroy();
      }
    } catch (IOException e) {
      throw Errors.io("cannot run " + program, config.dataRoot(), e);
    }
  }
}
