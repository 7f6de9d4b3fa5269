// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Progress;
import dev.ramet.engine.Shape;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.engine.templates.BuildTemplate;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.ImageTemplate;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.engine.templates.Template;
import dev.ramet.engine.templates.TemplateTag;
import dev.ramet.engine.templates.Templates;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Templates in memory, by name, or by name:tag if the tag is not the default. The recipe {@code
 * slow} ends only when allowed to.
 */
final class FakeTemplates implements Templates {
  final Map<String, Template> byName = new ConcurrentHashMap<>();
  final CountDownLatch slow = new CountDownLatch(1);
  final List<DerivedTemplate> derived = new CopyOnWriteArrayList<>();
  private final AtomicInteger ids = new AtomicInteger();

  FakeTemplates() {
    add("base", 1, 512L << 20, "key");
  }

  Template add(String name, int cpuCount, long memoryBytes, @Nullable String contentKey) {
    String[] parts = name.split(":", -1);
    Template made =
        new Template(
            "tpl-" + name.replace(':', '-'),
            parts[0],
            List.of(parts.length > 1 ? parts[1] : "default"),
            new Snapshot.Condition(Snapshot.Status.READY, null),
            true,
            new Shape(cpuCount, memoryBytes, 1L << 30),
            4096,
            new Template.Build(Instant.now(), contentKey, 1_500_000));
    byName.put(name, made);
    return made;
  }

  @Override
  public Template build(BuildTemplate request, Progress progress) {
    progress.step("build " + request.recipe());
    if (request.recipe().equals("slow")) {
      try {
        slow.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    if (!recipes().contains(request.recipe())) {
      throw RametException.notFound("recipe", request.recipe());
    }
    progress.step("capture");
    return add(request.name(), 1, 512L << 20, "key");
  }

  @Override
  public Template importImages(ImportTemplate request, Progress progress, IdListener ids) {
    if (!Files.exists(request.kernel())) {
      throw RametException.invalid("kernel", "no such file: " + request.kernel());
    }
    return add(request.name(), request.cpuCount(), request.memoryBytes(), null);
  }

  @Override
  public Template buildImage(ImageTemplate request, Progress progress) {
    if (!Files.exists(request.image())) {
      throw RametException.invalid("image", "no such file: " + request.image());
    }
    return add(request.name(), 1, 512L << 20, "key");
  }

  @Override
  public String newId() {
    return "t" + String.format("%019d", ids.incrementAndGet());
  }

  /** Logs its commands; {@code false} fails, {@code sleep} runs until it is cancelled. */
  @Override
  public Template derive(DerivedTemplate request, BuildLog log, IdListener ids) {
    derived.add(request);
    log.stepReached(0);
    log.step("starting " + request.source());
    get(request.source());
    int number = 0;
    for (BuildStep step : request.steps()) {
      log.stepReached(++number);
      log.step(String.valueOf(step));
      if (step instanceof BuildStep.Run run) {
        log.output(false, "said by " + run.command());
        if (run.command().equals("false")) {
          throw new RametException(ErrorCode.INVALID_ARGUMENT, "exit status 1");
        }
        while (run.command().equals("sleep")) {
          log.heartbeat();
        }
      }
    }
    log.stepReached(number + 1);
    log.step("capturing the machine");
    Template made =
        new Template(
            request.id(),
            request.name(),
            request.tags(),
            new Snapshot.Condition(Snapshot.Status.READY, null),
            true,
            new Shape(1, 512L << 20, 1L << 30),
            4096,
            new Template.Build(Instant.now(), null, 1_500_000));
    made.tags().forEach(tag -> strip(made.name(), tag));
    byName.values().removeIf(t -> t.name().equals(made.name()) && t.tags().isEmpty());
    byName.put(key(made), made);
    return made;
  }

  private static String key(Template template) {
    if (template.tags().isEmpty()) {
      return template.id();
    }
    return template.tags().equals(List.of("default"))
        ? template.name()
        : template.name() + ":" + String.join(",", template.tags());
  }

  /** Removes a tag from the template that has it; a template without tags is found by its id. */
  private void strip(String name, String tag) {
    for (Template other : List.copyOf(byName.values())) {
      if (other.name().equals(name) && other.tags().contains(tag)) {
        change(other, other.tags().stream().filter(one -> !one.equals(tag)).toList());
      }
    }
  }

  private Template change(Template t, List<String> tags) {
    Template changed =
        new Template(
            t.id(),
            t.name(),
            tags.stream().sorted().toList(),
            new Snapshot.Condition(t.status(), t.statusDetail()),
            t.warm(),
            new Shape(t.cpuCount(), t.memoryBytes(), t.diskBytes()),
            t.exclusiveBytes(),
            new Template.Build(t.createdAt(), t.contentKey(), t.buildNanos()));
    byName.values().remove(t);
    byName.put(key(changed), changed);
    return changed;
  }

  @Override
  public Template get(String reference) {
    String[] parts = reference.split(":", -1);
    String tag = parts.length > 1 ? parts[1] : "default";
    return byName.values().stream()
        .filter(
            t -> t.id().equals(parts[0]) || (t.name().equals(parts[0]) && t.tags().contains(tag)))
        .findFirst()
        .orElseThrow(() -> RametException.notFound("template", reference));
  }

  @Override
  public List<Template> versions(String reference) {
    String base = reference.split(":", -1)[0];
    List<Template> found =
        byName.values().stream().filter(t -> t.id().equals(base) || t.name().equals(base)).toList();
    if (found.isEmpty()) {
      throw RametException.notFound("template", reference);
    }
    return found;
  }

  @Override
  public List<TemplateTag> tags(String reference) {
    return versions(reference).stream()
        .flatMap(t -> t.tags().stream().map(tag -> new TemplateTag(tag, t.id(), t.createdAt())))
        .toList();
  }

  @Override
  public Template tag(String reference, List<String> tags) {
    String id = get(reference).id();
    tags.forEach(tag -> strip(get(reference).name(), tag));
    Template now = get(id);
    List<String> all = new ArrayList<>(now.tags());
    all.addAll(tags);
    return change(now, all);
  }

  @Override
  public void untag(String reference, List<String> tags) {
    String name = versions(reference).get(0).name();
    tags.forEach(tag -> get(name + ":" + tag));
    tags.forEach(tag -> strip(name, tag));
  }

  @Override
  public List<Template> list() {
    return List.copyOf(byName.values());
  }

  @Override
  public void delete(String reference) {
    boolean bare = reference.indexOf(':') < 0;
    byName.values().removeAll(bare ? versions(reference) : List.of(get(reference)));
  }

  @Override
  public List<String> recipes() {
    return List.of("base", "micro", "slow");
  }

  /** Throws an unexpected or an expected error. */
  static void failIfAsked(String template) {
    if (template.equals("defect")) {
      throw new IllegalStateException("secret detail");
    }
    if (template.equals("full")) {
      throw new RametException(ErrorCode.NO_SPACE, "no room", "make some", null);
    }
  }
}
