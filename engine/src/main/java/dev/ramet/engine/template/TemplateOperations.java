// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Progress;
import dev.ramet.engine.machine.MachineSize;
import dev.ramet.engine.sandbox.RecordViews;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.space.FreeSpace;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.state.TemplateVersions;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.ImageTemplate;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.engine.templates.TemplateTag;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Implements {@link Templates}: builds, lists, tags and deletes templates. */
public final class TemplateOperations implements Templates {
  private static final SnapshotRecord.Kind KIND = SnapshotRecord.Kind.TEMPLATE;
  // The hypervisor adds the arguments that depend on its devices.
  private static final String DEFAULT_ARGUMENTS = "rw quiet";

  private final SnapshotStore snapshots;
  private final VersionLocks locks;
  private final RecipeTemplateBuilder recipes;
  private final ImageTemplateBuilder images;
  private final StepTemplateBuilder derivations;
  private final TemplateVersions versions;
  private final RecordViews views;
  private final FreeSpace space;

  public TemplateOperations(
      SnapshotStore snapshots,
      VersionLocks locks,
      RecipeTemplateBuilder recipes,
      ImageTemplateBuilder images,
      StepTemplateBuilder derivations,
      TemplateVersions versions,
      RecordViews views,
      FreeSpace space) {
    this.snapshots = snapshots;
    this.locks = locks;
    this.recipes = recipes;
    this.images = images;
    this.derivations = derivations;
    this.versions = versions;
    this.views = views;
    this.space = space;
  }

  @Override
  public Template build(BuildTemplate request, Progress progress) {
    requireSpace();
    return view(recipes.build(request, progress));
  }

  @Override
  public Template buildImage(ImageTemplate request, Progress progress) {
    requireSpace();
    return view(recipes.build(request, progress));
  }

  private void requireSpace() {
    space.require("make a template");
  }

  private Template view(RecipeTemplateBuilder.Built built) {
    return views.template(built.record(), built.nanos());
  }

  private static TaggedName version(String name) {
    return TaggedName.parse("name", name, List.of());
  }

  @Override
  public String newId() {
    return Ids.newId('t');
  }

  @Override
  public Template derive(DerivedTemplate request, BuildLog log, IdListener ids) {
    TaggedName version = TaggedName.parse("name", request.name(), request.tags());
    MachineSize.check(request.cpuCount(), request.memoryBytes());
    requireSpace();
    if (!Ids.isId(request.id()) || snapshots.find(request.id()).isPresent()) {
      throw RametException.invalid("id", "must be a new one");
    }
    return locks.runExclusively(
        version,
        false,
        () -> {
          long start = System.nanoTime();
          List<SnapshotRecord> present = versions.holders(version);
          SnapshotRecord made = derivations.derive(request, version, log, ids);
          versions.deleteSuperseded(present, made);
          return views.template(made, System.nanoTime() - start);
        });
  }

  @Override
  public Template importImages(ImportTemplate request, Progress progress, IdListener ids) {
    TaggedName version = version(request.name());
    MachineSize.check(request.cpuCount(), request.memoryBytes());
    requireSpace();
    checkFile("kernel", request.kernel());
    checkFile("rootfs", request.rootfs());
    Path initrd = request.initrd();
    if (initrd != null) {
      checkFile("initrd", initrd);
    }
    return locks.runExclusively(
        version,
        true,
        () -> {
          long start = System.nanoTime();
          String arguments = request.kernelArguments();
          TemplateImages content =
              new TemplateImages(
                  version,
                  new TemplateImages.Files(request.kernel(), initrd, request.rootfs()),
                  arguments == null ? DEFAULT_ARGUMENTS : arguments,
                  request.cpuCount(),
                  request.memoryBytes(),
                  request.cold() ? null : Sandbox.AGENT_PORT,
                  null,
                  false);
          SnapshotRecord made =
              request.cold()
                  ? images.makeCold(content, progress, ids)
                  : images.makeWarm(content, progress);
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

  @Override
  public Template get(String reference) {
    return views.template(versions.get(reference), 0);
  }

  @Override
  public List<Template> list() {
    return snapshots.all().stream()
        .filter(record -> record.kind() == KIND && !record.deleted())
        .map(record -> views.template(record, 0))
        .sorted(Comparator.comparing(Template::name).thenComparing(Template::id))
        .toList();
  }

  @Override
  public List<Template> versions(String reference) {
    return versions.versionsOf(reference).stream()
        .map(record -> views.template(record, 0))
        .toList();
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
    return recipes.recipeNames();
  }
}
