// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.BuildLog;
import dev.ramet.engine.BuildTemplate;
import dev.ramet.engine.DerivedTemplate;
import dev.ramet.engine.ImageTemplate;
import dev.ramet.engine.ImportTemplate;
import dev.ramet.engine.Progress;
import dev.ramet.engine.Sandbox;
import dev.ramet.engine.Template;
import dev.ramet.engine.TemplateTag;
import dev.ramet.engine.Templates;
import dev.ramet.engine.core.Context;
import dev.ramet.engine.sandbox.SandboxOperations;
import dev.ramet.engine.sandbox.Views;
import dev.ramet.engine.state.Names;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.TemplateVersions;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Implements {@link Templates}: builds, lists, tags and deletes templates. */
public final class TemplateOperations implements Templates {
  private static final SnapshotRecord.Kind KIND = SnapshotRecord.Kind.TEMPLATE;
  private static final String DEFAULT_ARGUMENTS = "console=ttyS0 root=/dev/vda rw quiet";
  private static final long LEAST_DISK_BYTES = 32L << 20;
  private static final long MOST_DISK_BYTES = 1L << 44;

  private final Context context;
  private final ImageTemplateBuilder maker;
  private final StepTemplateBuilder deriver;
  private final TemplateVersions versions;
  private final Views views;
  private final String hypervisorKey;
  private final Set<String> underWay = new HashSet<>();

  /**
   * Creates the operations.
   *
   * @param hypervisorKey names the hypervisor and its version: a warm template works with no other
   */
  public TemplateOperations(
      Context context,
      ImageTemplateBuilder maker,
      StepTemplateBuilder deriver,
      SnapshotReclaimer reclaimer,
      Views views,
      String hypervisorKey) {
    this.context = context;
    this.maker = maker;
    this.deriver = deriver;
    this.versions = new TemplateVersions(context.snapshots(), reclaimer);
    this.views = views;
    this.hypervisorKey = hypervisorKey;
  }

  @Override
  public Template build(BuildTemplate request, Progress progress) {
    return build(
        new Wanted(
            version(request.name()),
            request.cpuCount(),
            request.memoryBytes(),
            request.diskBytes(),
            false),
        () -> Recipe.named(context.config(), request.recipe()),
        progress);
  }

  @Override
  public Template buildImage(ImageTemplate request, Progress progress) {
    if (request.noStart() && request.start() != null) {
      throw RametException.invalid("start", "is not for noStart, which starts nothing");
    }
    return build(
        new Wanted(
            version(request.name()),
            request.cpuCount(),
            request.memoryBytes(),
            request.diskBytes(),
            true),
        () -> Recipe.of(context.config(), request),
        progress);
  }

  /** The common part of requests; null means that the recipe decides. */
  private record Wanted(
      TaggedName version,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes,
      @Nullable Long diskBytes,
      boolean starts) {}

  private static TaggedName version(String name) {
    return TaggedName.of("name", name, List.of());
  }

  private Template build(Wanted wanted, Supplier<Recipe> source, Progress progress) {
    SandboxOperations.checkSize(wanted.cpuCount(), wanted.memoryBytes());
    Long diskBytes = wanted.diskBytes();
    if (diskBytes != null && (diskBytes < LEAST_DISK_BYTES || diskBytes > MOST_DISK_BYTES)) {
      throw RametException.invalid("diskSizeMB", "must be 32 to 16777216");
    }
    Recipe recipe = source.get();
    return once(
        wanted.version(),
        false,
        () -> {
          // Made before anything is started, so that the next start finds everything a crash
          // leaves.
          Path directory = context.layout().builds().resolve(Ids.next('t'));
          try {
            Files.createDirectories(directory);
            return build(recipe, wanted, directory, progress);
          } catch (IOException e) {
            throw Errors.io("cannot build a template", context.layout().root(), e);
          } finally {
            FileTrees.delete(directory);
          }
        });
  }

  private Template build(Recipe recipe, Wanted wanted, Path directory, Progress progress) {
    long start = System.nanoTime();
    String key =
        String.join(
            "/",
            recipe.key(directory, wanted.diskBytes(), progress),
            String.valueOf(wanted.cpuCount()),
            String.valueOf(wanted.memoryBytes()),
            hypervisorKey);
    List<SnapshotRecord> present = versions.holders(wanted.version());
    if (!present.isEmpty() && key.equals(present.get(0).contentKey())) {
      progress.step("it is there already");
      return views.template(present.get(0), 0);
    }
    SnapshotRecord made = buildImages(recipe, wanted, key, directory, progress);
    versions.giveWay(present, made);
    return views.template(made, System.nanoTime() - start);
  }

  private SnapshotRecord buildImages(
      Recipe recipe, Wanted wanted, String key, Path directory, Progress progress) {
    Recipe.Machine machine = recipe.build(directory, wanted.diskBytes(), progress);
    Path initrd = directory.resolve("initrd");
    Integer cpuCount = wanted.cpuCount();
    Long memoryBytes = wanted.memoryBytes();
    return maker.makeWarm(
        new ImageTemplateBuilder.Images(
            wanted.version(),
            directory.resolve("kernel"),
            Files.exists(initrd) ? initrd : null,
            directory.resolve("rootfs.raw"),
            machine.kernelArguments(),
            cpuCount == null ? machine.cpuCount() : cpuCount,
            memoryBytes == null ? machine.memoryMb() << 20 : memoryBytes,
            machine.agentPort(),
            key,
            wanted.starts()),
        progress);
  }

  @Override
  public String newId() {
    return Ids.next('t');
  }

  @Override
  public Template derive(DerivedTemplate request, BuildLog log) {
    TaggedName version = TaggedName.of("name", request.name(), request.tags());
    SandboxOperations.checkSize(request.cpuCount(), request.memoryBytes());
    if (!Ids.isId(request.id()) || context.snapshots().find(request.id()).isPresent()) {
      throw RametException.invalid("id", "must be a new one");
    }
    return once(
        version,
        false,
        () -> {
          long start = System.nanoTime();
          List<SnapshotRecord> present = versions.holders(version);
          SnapshotRecord made = deriver.derive(request, version, log);
          versions.giveWay(present, made);
          return views.template(made, System.nanoTime() - start);
        });
  }

  @Override
  public Template importImages(ImportTemplate request, Progress progress) {
    TaggedName version = version(request.name());
    SandboxOperations.checkSize(request.cpuCount(), request.memoryBytes());
    checkFile("kernel", request.kernel());
    checkFile("rootfs", request.rootfs());
    Path initrd = request.initrd();
    if (initrd != null) {
      checkFile("initrd", initrd);
    }
    return once(
        version,
        true,
        () -> {
          long start = System.nanoTime();
          String arguments = request.kernelArguments();
          ImageTemplateBuilder.Images images =
              new ImageTemplateBuilder.Images(
                  version,
                  request.kernel(),
                  initrd,
                  request.rootfs(),
                  arguments == null ? DEFAULT_ARGUMENTS : arguments,
                  request.cpuCount(),
                  request.memoryBytes(),
                  request.cold() ? null : Sandbox.AGENT_PORT,
                  null,
                  false);
          SnapshotRecord made =
              request.cold() ? maker.makeCold(images, progress) : maker.makeWarm(images, progress);
          return views.template(made, System.nanoTime() - start);
        });
  }

  private static void checkFile(String field, Path file) {
    if (!file.isAbsolute()) {
      throw RametException.invalid(field, "must be an absolute path on the host");
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw RametException.invalid(field, "is not a readable file: " + file);
    }
  }

  /**
   * Works on a template version exclusively.
   *
   * @param vacant whether the name and tags must not exist yet
   */
  private Template once(TaggedName version, boolean vacant, Supplier<Template> work) {
    try (Names.Reservation one = only(version);
        Names.Reservation reservation =
            context.snapshots().names().reserve(version, KIND, vacant)) {
      return work.get();
    }
  }

  private Names.Reservation only(TaggedName version) {
    List<String> keys = version.tags().stream().map(tag -> version.alias() + ":" + tag).toList();
    synchronized (underWay) {
      if (!Collections.disjoint(underWay, keys)) {
        throw new RametException(
            ErrorCode.CONFLICT, "template " + version + " is being built already");
      }
      underWay.addAll(keys);
    }
    return () -> {
      synchronized (underWay) {
        keys.forEach(underWay::remove);
      }
    };
  }

  @Override
  public Template get(String reference) {
    return views.template(versions.get(reference), 0);
  }

  @Override
  public List<Template> list() {
    return context.snapshots().all().stream()
        .filter(record -> record.kind() == KIND && !record.deleted())
        .map(record -> views.template(record, 0))
        .sorted(Comparator.comparing(Template::name).thenComparing(Template::id))
        .toList();
  }

  @Override
  public List<Template> versions(String reference) {
    return versions.all(reference).stream().map(record -> views.template(record, 0)).toList();
  }

  @Override
  public List<TemplateTag> tags(String reference) {
    return versions.tags(reference);
  }

  @Override
  public Template tag(String reference, List<String> tags) {
    return views.template(versions.tag(reference, tags), 0);
  }

  @Override
  public void untag(String reference, List<String> tags) {
    versions.untag(reference, tags);
  }

  @Override
  public void delete(String reference) {
    versions.delete(reference);
  }

  @Override
  public List<String> recipes() {
    return Recipe.names(context.config());
  }
}
