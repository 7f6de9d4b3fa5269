// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.api.sandbox.SandboxLogs;
import dev.ramet.api.sandbox.SandboxMetric;
import dev.ramet.engine.sandboxes.ProgramOutput;
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
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;

/** Routes for a sandbox's load and console. */
@Controller
@Tag(name = "sandboxes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class InsightController {
  private static final int TAIL_BYTES = 256 << 10;
  private static final int MAX_LINES = 1000;

  private final EngineHolder engine;
  private final MetricsHistory history = new MetricsHistory();
  private final LogTimes times = new LogTimes();

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
   * Returns the last lines of a sandbox's logs: of its console and of the program that its template
   * starts, merged by time.
   *
   * @param id the sandbox
   * @param limit how many lines, 1 to 1000
   * @param source {@code console}, {@code container} or {@code agent}; all unless given
   * @param since the earliest time of a line, RFC 3339 or seconds since 1970
   * @return the lines, oldest first
   */
  @Get(uris = {"/sandboxes/{id}/logs", "/v2/sandboxes/{id}/logs"})
  SandboxLogs getSandboxLogs(
      @PathVariable String id,
      @QueryValue @Nullable Integer limit,
      @QueryValue @Nullable String source,
      @QueryValue @Nullable String since) {
    Integer most = FieldValidation.range("limit", limit, 1, MAX_LINES);
    LogSource wanted = LogSource.parse(source);
    Instant earliest = time(since);
    Sandbox sandbox = sandboxes().get(FieldValidation.sandboxId(id));
    List<SandboxLogs.Entry> lines = new ArrayList<>();
    if (wanted != LogSource.CONTAINER) {
      lines.addAll(console(sandbox.id()));
    }
    // Of a sandbox that does not run, the program's output is out of reach: said if asked for.
    if (wanted == LogSource.CONTAINER) {
      lines.addAll(programOutput(sandbox.id()));
    } else if (wanted == null && sandbox.state() == Sandbox.State.RUNNING) {
      lines.addAll(programOutputIfReachable(sandbox.id()));
      lines.sort(Comparator.comparing(line -> Instant.parse(line.timestamp())));
    }
    lines.removeIf(
        line -> wanted != null && !wanted.wireName().equals(line.fields().get("source")));
    lines.removeIf(line -> Instant.parse(line.timestamp()).isBefore(earliest));
    int from = Math.max(0, lines.size() - (most == null ? MAX_LINES : most));
    List<SandboxLogs.Entry> last = lines.subList(from, lines.size());
    return new SandboxLogs(
        last.stream().map(line -> new SandboxLogs.Line(line.timestamp(), line.message())).toList(),
        List.copyOf(last));
  }

  private static Instant time(@Nullable String since) {
    if (since == null) {
      return Instant.MIN;
    }
    try {
      return since.chars().allMatch(Character::isDigit)
          ? Instant.ofEpochSecond(Long.parseLong(since))
          : Instant.parse(since);
    } catch (DateTimeException | NumberFormatException e) {
      throw RametException.invalid("since", "must be a time like 2026-01-31T12:00:00Z");
    }
  }

  private List<SandboxLogs.Entry> console(String id) {
    Path file = sandboxes().console(id);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long size = in.length();
      long start = Math.max(0, size - TAIL_BYTES);
      byte[] bytes = new byte[(int) (size - start)];
      in.seek(start);
      in.readFully(bytes);
      Instant written = Files.getLastModifiedTime(file).toInstant();
      return LogReader.lines(
          bytes, size, LogSource.CONSOLE, times.observe(file.toString(), size, written));
    } catch (FileNotFoundException | NoSuchFileException e) {
      return List.of(); // it does not run, or has just started
    } catch (IOException e) {
      throw new RametException(ErrorCode.INTERNAL, "cannot read the console of " + id, e);
    }
  }

  /** The console says most when the agent cannot answer, so its failure leaves that readable. */
  private List<SandboxLogs.Entry> programOutputIfReachable(String id) {
    try {
      return programOutput(id);
    } catch (RametException e) {
      return List.of();
    }
  }

  private List<SandboxLogs.Entry> programOutput(String id) {
    ProgramOutput output = sandboxes().programOutput(id);
    if (output == null) {
      return List.of();
    }
    NavigableMap<Long, Instant> found =
        times.observe(id + " container", output.sizeBytes(), Instant.now());
    return LogReader.lines(output.bytes(), output.sizeBytes(), LogSource.CONTAINER, found);
  }

  private Sandboxes sandboxes() {
    return engine.get().sandboxes();
  }
}
