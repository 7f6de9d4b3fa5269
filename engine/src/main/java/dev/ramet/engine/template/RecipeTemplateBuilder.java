// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Progress;
import dev.ramet.engine.machine.HostMemory;
import dev.ramet.engine.machine.MachineSize;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.TemplateVersions;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.ImageTemplate;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds templates by recipes, which make a kernel and a disk image. Nothing is built if a template
 * with the same content has the name and tag already. Thread-safe.
 */
public final class RecipeTemplateBuilder {
  private static final long MIN_DISK_BYTES = 32L << 20;
  private static final long MAX_DISK_BYTES = 1L << 44;

  private final EngineConfig config;
  private final Layout layout;
  private final VersionLocks locks;
  private final ImageTemplateBuilder images;
  private final TemplateVersions versions;
  private final String hypervisorKey;

  /**
   * Creates the builder of a root.
   *
   * @param config says where recipes are and where they keep packages
   * @param hypervisorKey names the hypervisor and its version: a warm template works with no other
   */
  public RecipeTemplateBuilder(
      EngineConfig config,
      Layout layout,
      VersionLocks locks,
      ImageTemplateBuilder images,
      TemplateVersions versions,
      String hypervisorKey) {
    this.config = config;
    this.layout = layout;
    this.locks = locks;
    this.images = images;
    this.versions = versions;
    this.hypervisorKey = hypervisorKey;
  }

  /**
   * A template that was asked for.
   *
   * @param record the template, new or found
   * @param nanos how long building it took; 0 if it was found
   */
  record Built(SnapshotRecord record, long nanos) {}

  /** Returns the names of the recipes that can be built. */
  List<String> recipeNames() {
    return Recipe.listNames(config);
  }

  /** Builds a template from a recipe that ships with Ramet. */
  Built build(BuildTemplate request, Progress progress) {
    return build(
        new Wanted(
            TaggedName.parse("name", request.name(), List.of()),
            request.cpuCount(),
            request.memoryBytes(),
            request.diskBytes(),
            false),
        () -> Recipe.find(config, request.recipe()),
        progress);
  }

  /** Builds a template from a container image. */
  Built build(ImageTemplate request, Progress progress) {
    if (request.noStart() && request.start() != null) {
      throw RametException.invalid("start", "is not for noStart, which starts nothing");
    }
    return build(
        new Wanted(
            TaggedName.parse("name", request.name(), List.of()),
            request.cpuCount(),
            request.memoryBytes(),
            request.diskBytes(),
            true),
        () -> Recipe.forImage(config, request),
        progress);
  }

  /** The common part of requests; null means that the recipe decides. */
  private record Wanted(
      TaggedName version,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes,
      @Nullable Long diskBytes,
      boolean starts) {}

  private Built build(Wanted wanted, Supplier<Recipe> source, Progress progress) {
    MachineSize.check(wanted.cpuCount(), wanted.memoryBytes());
    if (wanted.memoryBytes() != null) {
      HostMemory.of(config.settings()).require(wanted.memoryBytes());
    }
    Long diskBytes = wanted.diskBytes();
    if (diskBytes != null && (diskBytes < MIN_DISK_BYTES || diskBytes > MAX_DISK_BYTES)) {
      throw RametException.invalid("diskSizeMB", "must be 32 to 16777216");
    }
    Recipe recipe = source.get();
    return locks.runExclusively(
        wanted.version(),
        false,
        () -> {
          // Made before anything is started, so that the next start finds everything a crash
          // leaves.
          Path directory = layout.builds().resolve(Ids.newId('t'));
          try {
            Files.createDirectories(directory);
            return build(recipe, wanted, directory, progress);
          } catch (IOException e) {
            throw Errors.ioError("cannot build a template", layout.root(), e);
          } finally {
            FileTrees.delete(directory);
          }
        });
  }

  private Built build(Recipe recipe, Wanted wanted, Path directory, Progress progress) {
    long start = System.nanoTime();
    String key =
        String.join(
            "/",
            recipe.contentKey(directory, wanted.diskBytes(), progress),
            String.valueOf(wanted.cpuCount()),
            String.valueOf(wanted.memoryBytes()),
            hypervisorKey);
    List<SnapshotRecord> present = versions.holders(wanted.version());
    if (!present.isEmpty() && key.equals(present.get(0).contentKey())) {
      progress.step("it is there already");
      return new Built(present.get(0), 0);
    }
    SnapshotRecord made = buildImages(recipe, wanted, key, directory, progress);
    versions.deleteSuperseded(present, made);
    return new Built(made, System.nanoTime() - start);
  }

  private SnapshotRecord buildImages(
      Recipe recipe, Wanted wanted, String key, Path directory, Progress progress) {
    Recipe.Machine machine = recipe.build(directory, wanted.diskBytes(), progress);
    Path initrd = directory.resolve("initrd");
    Integer cpuCount = wanted.cpuCount();
    Long memoryBytes = wanted.memoryBytes();
    return images.makeWarm(
        new TemplateImages(
            wanted.version(),
            new TemplateImages.Files(
                directory.resolve("kernel"),
                Files.exists(initrd) ? initrd : null,
                directory.resolve("rootfs.raw")),
            machine.kernelArguments(),
            cpuCount == null ? machine.cpuCount() : cpuCount,
            memoryBytes == null ? machine.memoryMb() << 20 : memoryBytes,
            machine.agentPort(),
            key,
            wanted.starts()),
        progress);
  }
}
