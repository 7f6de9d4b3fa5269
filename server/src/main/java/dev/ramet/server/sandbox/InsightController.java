// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxLogs;
import dev.ramet.api.sandbox.SandboxMetric;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.view.MetricView;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Routes for a sandbox's load and console. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class InsightController {
  private static final int TAIL_BYTES = 256 << 10;
  private static final int MAX_LINES = 1000;

  private final EngineHolder engine;
  private final MetricsHistory history = new MetricsHistory();

  InsightController(EngineHolder engine) {
    this.engine = engine;
  }

  /**
   * Returns samples of a sandbox's load. A sample is taken when a client asks; earlier samples are
   * kept.
   *
   * @param id the sandbox
   * @param start time of the first wanted sample, in seconds since 1970
   * @param end time of the last wanted sample, in seconds since 1970
   * @return the samples, oldest first
   */
  @Get(uris = {"/sandboxes/{id}/metrics", "/v2/sandboxes/{id}/metrics"})
  List<SandboxMetric> getSandboxMetrics(
      @PathVariable String id, @QueryValue @Nullable Long start, @QueryValue @Nullable Long end) {
    if (start != null && end != null && start > end) {
      throw RametException.invalid("start", "must not be after end");
    }
    Sandbox sandbox = sandboxes().get(FieldValidation.sandboxId(id));
    Instant now = Instant.now();
    boolean wantsNow = end == null || end >= now.getEpochSecond();
    // One that stands still cannot answer; its earlier samples are still there.
    boolean answers = sandbox.state() == Sandbox.State.RUNNING && sandbox.standstill() == null;
    if (wantsNow && answers && history.isDue(sandbox.id(), now)) {
      history.add(sandbox.id(), sandboxes().metrics(sandbox.id()));
    }
    return history.samplesOf(sandbox.id()).stream()
        .filter(m -> start == null || m.at().getEpochSecond() >= start)
        .filter(m -> end == null || m.at().getEpochSecond() <= end)
        .map(MetricView::of)
        .toList();
  }

  /**
   * Returns the last lines that a sandbox wrote to its console.
   *
   * @param id the sandbox
   * @param limit how many lines, 1 to 1000
   * @return the lines, oldest first
   */
  @Get(uris = {"/sandboxes/{id}/logs", "/v2/sandboxes/{id}/logs"})
  SandboxLogs getSandboxLogs(@PathVariable String id, @QueryValue @Nullable Integer limit) {
    Integer most = FieldValidation.range("limit", limit, 1, MAX_LINES);
    Path console = sandboxes().console(FieldValidation.sandboxId(id));
    try {
      String time = Files.getLastModifiedTime(console).toInstant().toString();
      List<String> lines = tail(console).lines().toList();
      lines =
          lines.subList(
              Math.max(0, lines.size() - (most == null ? MAX_LINES : most)), lines.size());
      return new SandboxLogs(
          lines.stream().map(line -> new SandboxLogs.Line(time, line)).toList(),
          lines.stream().map(line -> new SandboxLogs.Entry(time, line, "info", Map.of())).toList());
    } catch (NoSuchFileException e) {
      return new SandboxLogs(List.of(), List.of()); // it does not run, or has just started
    } catch (IOException e) {
      throw new RametException(ErrorCode.INTERNAL, "cannot read the console of " + id, e);
    }
  }

  private static String tail(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long start = Math.max(0, in.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (in.length() - start)];
      in.seek(start);
      in.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
