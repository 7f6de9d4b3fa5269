// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private enum Word {
    FIRST,
    LAST
  }

  private static final Setting<Duration> TIME =
      Setting.duration("time", Duration.ofSeconds(30), "How long.");
  private static final Setting<Integer> ROUNDS = Setting.number("rounds", 0, 5, "How often.");
  private static final Setting<Word> WORD = Setting.constant("word", Word.LAST, "Which.");
  private static final Setting<List<Path>> PATHS =
      Setting.of("paths", SettingTypes.PATHS, "Where.");
  private static final Setting<Path> LAYOUT = Setting.path("layout", "Where.").inLayout("share");

  @Test
  void aSettingThatIsNotSetHasItsDefault() {
    assertEquals(Duration.ofSeconds(30), Settings.NONE.get(TIME));
    assertEquals(Word.LAST, Settings.NONE.get(WORD));
    assertEquals(Optional.empty(), Settings.NONE.find(ROUNDS));
    assertThrows(IllegalStateException.class, () -> Settings.NONE.get(ROUNDS));
    // Only a host knows where its layout is.
    assertEquals(Optional.empty(), Settings.NONE.find(LAYOUT));
    assertFalse(Settings.NONE.has(TIME));
  }

  @Test
  void defaultsAreWrittenAsPeopleWriteThem() {
    assertEquals("30s", TIME.fallback());
    assertEquals("120s", Setting.duration("t", Duration.ofMinutes(2), "").fallback());
    assertEquals("1500ms", Setting.duration("t", Duration.ofMillis(1500), "").fallback());
    assertEquals("LAST", WORD.fallback());
    assertEquals("{home}/share", LAYOUT.fallback());
    assertNull(ROUNDS.fallback());
  }

  @Test
  void valuesAreParsed() {
    Settings set =
        Settings.of(
            Map.of("time", "2m", "rounds", "5", "word", "first", "paths", "/a, /b", "other", "x"));
    assertEquals(Duration.ofMinutes(2), set.get(TIME));
    assertEquals(5, set.get(ROUNDS));
    assertEquals(Word.FIRST, set.get(WORD));
    assertEquals(List.of(Path.of("/a"), Path.of("/b")), set.get(PATHS));
    assertEquals(List.of(), Settings.of(Map.of("paths", "")).get(PATHS));
  }

  @Test
  void whatIsWrittenIsReadBack() {
    Duration odd = Duration.ofMillis(1500);
    List<Path> paths = List.of(Path.of("/a"), Path.of("/b"));
    Settings set = Settings.NONE.with(TIME, odd).with(WORD, Word.FIRST).with(PATHS, paths);
    assertEquals(odd, set.get(TIME));
    assertEquals(Word.FIRST, set.get(WORD));
    assertEquals(paths, set.get(PATHS));
    assertEquals(set, Settings.NONE.with(PATHS, paths).with(WORD, Word.FIRST).with(TIME, odd));
  }

  @Test
  void badValuesAreRefusedWithTheirReason() {
    assertEquals("must be a whole number from 0 to 5, not 6", ROUNDS.problem("6"));
    assertEquals("must be a whole number from 0 to 5", ROUNDS.hidden().problem("6"));
    assertEquals("must be FIRST or LAST, not true", WORD.problem("true"));
    assertEquals("must be absolute paths separated by commas, not b", PATHS.problem("/a,b"));
    assertEquals("is empty; leave it out to use the default", TIME.problem(""));
    assertNull(Setting.of("path", SettingTypes.FILE.orEmpty(), "").problem(""));
    RametException refused =
        assertThrows(RametException.class, () -> Settings.of(Map.of("time", "-1s")).get(TIME));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertTrue(SettingTypes.DURATION.allows("1"), "a number is in seconds");
    for (String wrong : List.of("s", "1 s", "-1s", "-1", "PT-1S", "P", "1.5s")) {
      assertFalse(SettingTypes.DURATION.allows(wrong), wrong);
    }
  }

  @Test
  void thoseOfAPluginHaveTheirOwnKeys() {
    Settings all = Settings.of(Map.of("plugin.a.rounds", "1", "plugin.b.rounds", "2"));
    assertEquals(1, all.below("plugin.a.").get(ROUNDS));
    assertEquals(2, all.get(ROUNDS.below("plugin.b.")));
    assertEquals("PLUGIN_A_B_ROUNDS", ROUNDS.below("plugin.a-b.").variable());
  }

  @Test
  void printsNoValues() {
    assertEquals("[seal]", Settings.of(Map.of("seal", "hunter2")).toString());
  }
}
