// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportTest {
  private static final Result PAUSE =
      Result.of("pause", "ms", Samples.of(4, 3, 5)).over(Samples.of(2)).ratioAtMost(1.5);
  private static final Result RESIDENT =
      Result.of("resident", "MiB", Samples.of(120)).atMost(160).note("at the first answer");

  @Test
  void jsonHoldsEveryFieldThatIsPromised(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("report.json");
    new Report("snapshot", List.of(PAUSE, RESIDENT)).write(file);

    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertEquals("snapshot", json.get("suite").asText());
    JsonNode pause = json.get("results").get(0);
    assertEquals("pause", pause.get("name").asText());
    assertEquals("ms", pause.get("unit").asText());
    assertEquals(4, pause.get("p50").asDouble());
    assertEquals(5, pause.get("p99").asDouble());
    assertEquals(2, pause.get("floor").asDouble());
    assertEquals(2, pause.get("ratio").asDouble());
    assertEquals(3, pause.get("n").asInt());
    assertEquals(1.5, pause.get("target").asDouble());
    assertEquals("ratio", pause.get("targetOf").asText());
    assertFalse(pause.has("note"));
    assertFalse(pause.has("kept"));
    JsonNode resident = json.get("results").get(1);
    assertTrue(resident.has("floor") && resident.get("floor").isNull());
    assertTrue(resident.has("ratio") && resident.get("ratio").isNull());
    assertEquals("at the first answer", resident.get("note").asText());
  }

  @Test
  void whatWasWrittenIsReadBack(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("report.json");
    Report report = new Report("clone", List.of(PAUSE, RESIDENT));
    report.write(file);
    assertEquals(report, Report.read(file));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(file), files.toList());
    }
  }

  @Test
  void tablesSayWhetherTargetsAreKept() {
    Report report = new Report("snapshot", List.of(PAUSE, RESIDENT));
    assertTrue(report.text().contains("ratio ≤ 1.50 missed"), report.text());
    assertTrue(report.text().contains("p50 ≤ 160 kept  at the first answer"), report.text());
    assertTrue(
        report.markdown().contains("| pause | ms | 4 | 5 | 2 | 2.00 | 3 | ratio ≤ 1.50 missed |"),
        report.markdown());
  }

  @Test
  void aTargetIsKeptUpToItsOwnValue() {
    assertEquals(true, PAUSE.ratioAtMost(2).kept());
    assertEquals(false, PAUSE.atMost(3).kept());
    assertNull(Result.of("info", "ms", Samples.of(1)).kept());
  }

  @Test
  void aFloorOfNothingHasNoRatio() {
    Result result = Result.of("written", "KiB", Samples.of(0)).over(Samples.of(0)).ratioAtMost(1);
    assertNull(result.ratio());
    assertNull(result.kept());
  }
}
