// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Progress;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.templates.ImageTemplate;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.files.JsonFile;
import dev.ramet.spi.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program that makes a template's images. {@code recipe key} prints a key of the content it would
 * make. {@code recipe build DIR} makes the images and prints a line for each step.
 */
public final class Recipe {
  /** The directory with {@code ramet-agent} and {@code templates/<recipe>/recipe}. */
  public static final Setting<Path> GUEST_DIRECTORY =
      Setting.path("ramet.guest-dir", "Directory of the guest agent and the template recipes.")
          .inLayout("share/guest");

  /** The directory of downloaded packages. */
  public static final Setting<Path> CACHE_DIRECTORY =
      Setting.path("ramet.cache-dir", "Where template recipes keep downloaded packages.")
          .byDefault(Path.of("/var/cache/ramet"));

  private static final int LINES_IN_ERRORS = 15;
  // Exit codes of sysexits.h. The last two lines of output give the error and the remedy.
  private static final int BAD_INPUT = 65;
  private static final int NO_SPACE = 73;

  /** The recipe for container images. It cannot be built without an image, so it is not listed. */
  private static final String OF_IMAGES = "image";

  private final EngineConfig config;
  private final Path program;
  private final Map<String, String> settings;

  private Recipe(EngineConfig config, Path program, Map<String, String> settings) {
    this.config = config;
    this.program = program;
    this.settings = settings;
  }

  /**
   * The machine that a recipe's images are made for.
   *
   * @param kernelArguments the kernel command line
   * @param cpuCount virtual CPUs
   * @param memoryMb guest memory in MiB
   * @param agentPort the agent's port, or null if there is none
   */
  record Machine(
      @JsonProperty("cmdline") String kernelArguments,
      int cpuCount,
      @JsonProperty("memoryMB") long memoryMb,
      @Nullable Integer agentPort) {}

  /** Returns the names of all recipes. */
  static List<String> listNames(EngineConfig config) {
    try {
      List<String> names = new ArrayList<>();
      for (Path directory :
          FileTrees.children(config.settings().get(GUEST_DIRECTORY).resolve("templates"))) {
        String name = String.valueOf(directory.getFileName());
        if (Files.isExecutable(directory.resolve("recipe")) && !name.equals(OF_IMAGES)) {
          names.add(name);
        }
      }
      return names;
    } catch (IOException e) {
      throw Errors.ioError("cannot list recipes", config.dataRoot(), e);
    }
  }

  /** Returns the recipe with this name. */
  static Recipe find(EngineConfig config, String name) {
    List<String> names = listNames(config);
    if (!names.contains(name)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "recipe not found: " + name,
          names.isEmpty()
              ? "no recipes are installed in " + config.settings().get(GUEST_DIRECTORY)
              : "there are: " + String.join(", ", names),
          null);
    }
    return new Recipe(config, program(config, name), Map.of());
  }

  /** Returns the recipe that makes a template from a container image. */
  static Recipe forImage(EngineConfig config, ImageTemplate image) {
    List<String> options = new ArrayList<>();
    option(options, "platform", image.platform());
    option(options, "tag", image.tag());
    option(options, "start", image.start());
    option(options, "ready", image.ready());
    if (image.noStart()) {
      options.add("-no-start");
    }
    return new Recipe(
        config,
        program(config, OF_IMAGES),
        Map.of(
            "RAMET_IMAGE",
            image.image().toString(),
            "RAMET_IMAGE_OPTIONS",
            String.join("\n", options)));
  }

  private static void option(List<String> options, String name, @Nullable String value) {
    if (value == null) {
      return;
    }
    if (value.isEmpty() || value.chars().anyMatch(Character::isISOControl)) {
      throw RametException.invalid(name, "must be one line that is not empty");
    }
    options.add("-" + name + "=" + value);
  }

  private static Path program(EngineConfig config, String name) {
    return config
        .settings()
        .get(GUEST_DIRECTORY)
        .resolve("templates")
        .resolve(name)
        .resolve("recipe");
  }

  /**
   * Returns the key of the content that the recipe would make.
   *
   * @param directory the directory it would build in
   */
  String contentKey(Path directory, @Nullable Long diskBytes, Progress progress) {
    List<String> lines = new ArrayList<>();
    run(List.of("key"), directory, diskBytes, lines::add, progress);
    if (lines.isEmpty()) {
      throw new RametException(ErrorCode.HOST_UNFIT, program + " key printed nothing");
    }
    return lines.get(lines.size() - 1).strip();
  }

  /** Makes the images in an existing directory. */
  Machine build(Path directory, @Nullable Long diskBytes, Progress progress) {
    List<String> arguments = List.of("build", directory.toString());
    run(arguments, directory, diskBytes, progress::step, progress);
    try {
      return JsonFile.read(directory.resolve("template.json"), Machine.class);
    } catch (IOException e) {
      throw Errors.ioError("the recipe left no template.json", directory, e);
    }
  }

  private void run(
      List<String> arguments,
      Path directory,
      @Nullable Long diskBytes,
      Consumer<String> steps,
      Progress progress) {
    // Guest files get the modes that the recipe gives them, not those of the host's own umask.
    List<String> command =
        new ArrayList<>(List.of("/bin/sh", "-c", "umask 022 && exec \"$0\" \"$@\""));
    command.add(program.toAbsolutePath().toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put(
        "RAMET_AGENT",
        config.settings().get(GUEST_DIRECTORY).resolve("ramet-agent").toAbsolutePath().toString());
    environment.put(
        "RAMET_CACHE", config.settings().get(CACHE_DIRECTORY).toAbsolutePath().toString());
    environment.put(RecipeProcesses.MARK, RecipeProcesses.mark(directory));
    environment.putAll(settings);
    if (diskBytes != null) {
      environment.put("RAMET_DISK_MB", Long.toString(diskBytes >> 20));
    }
    Deque<String> last = new ArrayDeque<>();
    try {
      RecipeOutput output = RecipeOutput.startReading(builder.start());
      int status =
          output.follow(
              line -> {
                steps.accept(line);
                last.addLast(line);
                if (last.size() > LINES_IN_ERRORS) {
                  last.removeFirst();
                }
              },
              progress);
      if (status != 0) {
        throw failed(arguments.get(0), status, last);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while building a template", e);
    } catch (IOException e) {
      throw Errors.ioError("cannot run " + program, config.dataRoot(), e);
    } finally {
      // End them before the directory they write to is deleted.
      RecipeProcesses.killAll(directory);
    }
  }

  private RametException failed(String verb, int status, Deque<String> last) {
    if ((status == BAD_INPUT || status == NO_SPACE) && last.size() > 1) {
      String remedy = last.removeLast();
      return new RametException(
          status == BAD_INPUT ? ErrorCode.INVALID_ARGUMENT : ErrorCode.NO_SPACE,
          last.removeLast(),
          remedy,
          null);
    }
    return new RametException(
        ErrorCode.HOST_UNFIT,
        program + " " + verb + " ended with status " + status + ":\n" + String.join("\n", last));
  }
}
