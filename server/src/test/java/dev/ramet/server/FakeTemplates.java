// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import dev.ramet.engine.BuildLog;
import dev.ramet.engine.BuildStep;
import dev.ramet.engine.BuildTemplate;
import dev.ramet.engine.DerivedTemplate;
import dev.ramet.engine.ImageTemplate;
import dev.ramet.engine.ImportTemplate;
import dev.ramet.engine.Progress;
import dev.ramet.engine.Snapshot;
import dev.ramet.engine.Template;
import dev.ramet.engine.Templates;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Templates on the heap. The recipe {@code slow} ends only when it is allowed to. */
final class FakeTemplates implements Templates {
  final Map<String, Template> byName = new ConcurrentHashMap<>();
  final CountDownLatch slow = new CountDownLatch(1);
  final List<DerivedTemplate> derived = new CopyOnWriteArrayList<>();
  private final AtomicInteger ids = new AtomicInteger();

  FakeTemplates() {
    add("base", 1, 512L << 20, "key");
  }

  Template add(String name, int cpuCount, long memoryBytes, @Nullable String contentKey) {
    Template made =
        new Template(
            "tpl-" + name,
            name,
            Snapshot.Status.READY,
            null,
            true,
            cpuCount,
            memoryBytes,
            1L << 30,
            4096,
            Instant.now(),
            contentKey,
            1_500_000);
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
  public Template importImages(ImportTemplate request, Progress progress) {
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

  /**
   * Says what its commands are; {@code false} fails, {@code sleep} goes on until it is cancelled.
   */
  @Override
  public Template derive(DerivedTemplate request, BuildLog log) {
    derived.add(request);
    log.at(0);
    log.step("starting " + request.source());
    get(request.source());
    int number = 0;
    for (BuildStep step : request.steps()) {
      log.at(++number);
      log.step(String.valueOf(step));
      if (step instanceof BuildStep.Run run) {
        log.output(false, "said by " + run.command());
        if (run.command().equals("false")) {
          throw new RametException(ErrorCode.INVALID_ARGUMENT, "exit status 1");
        }
        while (run.command().equals("sleep")) {
          log.waiting();
        }
      }
    }
    log.at(number + 1);
    log.step("capturing the machine");
    Template made =
        new Template(
            request.id(),
            request.name(),
            Snapshot.Status.READY,
            null,
            true,
            1,
            512L << 20,
            1L << 30,
            4096,
            Instant.now(),
            null,
            1_500_000);
    byName.put(request.name(), made);
    return made;
  }

  @Override
  public Template get(String idOrName) {
    return byName.values().stream()
        .filter(t -> t.id().equals(idOrName) || t.name().equals(idOrName))
        .findFirst()
        .orElseThrow(() -> RametException.notFound("template", idOrName));
  }

  @Override
  public List<Template> list() {
    return List.copyOf(byName.values());
  }

  @Override
  public void delete(String idOrName) {
    byName.remove(get(idOrName).name());
  }

  @Override
  public List<String> recipes() {
    return List.of("base", "slow");
  }

  /** An error no code foresaw and one that was. */
  static void failIfAsked(String template) {
    if (template.equals("defect")) {
      throw new IllegalStateException("secret detail");
    }
    if (template.equals("full")) {
      throw new RametException(ErrorCode.NO_SPACE, "no room", "make some", null);
    }
  }
}
