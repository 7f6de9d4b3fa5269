// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that code built against the contracts of the last release works with today's. Compares
 * {@link Contracts#MODULES} with the release, whose sources are in {@code
 * src/test/contracts/released.tar.gz}, because not every checkout has the history. An intended
 * breaking change is listed with its reason in {@code src/test/contracts/changes} until the next
 * release includes it.
 */
final class ContractsTest {
  private static final Path PLACE = Path.of("src/test/contracts");
  private static final Path RELEASED = PLACE.resolve("released.tar.gz");

  @TempDir private static Path work;
  private static Contracts before = new Contracts(Path.of(""), List.of());

  @BeforeAll
  static void buildOldOnes() throws Exception {
    before = Contracts.of(RELEASED, work.resolve("old"));
  }

  /** Checks nothing where the checkout has no tags. */
  @Test
  void theLastReleaseIsTheNewestTag() throws Exception {
    String newest = Contracts.newestRelease();
    if (newest != null) {
      assertEquals(
          newest,
          Contracts.commitOf(RELEASED),
          "a release was tagged; the docs say how its contracts get into " + RELEASED);
    }
  }

  @Test
  void breakNobodyUnlessThatIsWrittenDown() throws Exception {
    Map<String, String> meant = changes();
    Set<String> found = before.brokenBy(Contracts.built(work.resolve("built")));
    Set<String> unexpected = new TreeSet<>(found);
    unexpected.removeAll(meant.keySet());
    assertEquals(
        Set.of(),
        unexpected,
        "these changes break plugins and clients that were built before; if that is meant, write"
            + " each into distribution/tests/"
            + PLACE.resolve("changes")
            + " with its reason");
    Set<String> stale = new TreeSet<>(meant.keySet());
    stale.removeAll(found);
    assertEquals(Set.of(), stale, "these are written down and not, or no longer, so");
  }

  @Test
  void aBreakIsFound() throws Exception {
    Path sources = work.resolve("changed");
    Contracts.copy(before.sources(), sources);
    edit(
        sources.resolve("spi/src/main/java/dev/ramet/spi/storage/StorageBackend.java"),
        "interface StorageBackend extends AutoCloseable {",
        "interface StorageBackend extends AutoCloseable { void more(); default void fine() {} ");
    edit(
        sources.resolve("spi/src/main/java/dev/ramet/spi/storage/Growable.java"),
        "interface Growable {",
        "interface Growable { int ADDED = 1; ");
    edit(
        sources.resolve("errors/src/main/java/dev/ramet/errors/RametException.java"),
        "public static RametException notFound(",
        "static RametException notFound(");
    Contracts changed = Contracts.compile(sources, work.resolve("new"), List.of("errors", "spi"));
    assertEquals(
        Set.of(
            "dev.ramet.spi.storage.StorageBackend#more() METHOD_ADDED_TO_INTERFACE",
            "dev.ramet.errors.RametException#notFound(String,String) METHOD_LESS_ACCESSIBLE"),
        before.brokenBy(changed));
  }

  private static void edit(Path file, String from, String to) throws IOException {
    String text = Files.readString(file);
    assertTrue(text.contains(from), file + " has no longer: " + from);
    Files.writeString(file, text.replace(from, to));
  }

  /** Reads the lines {@code what CHANGE: reason}. */
  private static Map<String, String> changes() throws IOException {
    Map<String, String> changes = new TreeMap<>();
    try (Stream<String> lines = Files.lines(PLACE.resolve("changes"))) {
      for (String line : lines.filter(one -> !one.isBlank() && !one.startsWith("#")).toList()) {
        int colon = line.indexOf(": ");
        assertTrue(colon > 0 && line.length() > colon + 10, "no reason is given: " + line);
        changes.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return changes;
  }
}
