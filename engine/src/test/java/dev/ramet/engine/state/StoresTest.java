// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.selection.ProbeLeftovers;
import dev.ramet.engine.selection.UnavailableHypervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which sandboxes and snapshots a start loads, removes or leaves alone. */
class StoresTest {
  private static final String ID = "i0123456789abcdefghi";
  private static final String OTHER = "s0123456789abcdefghi";

  @TempDir Path directory;

  private static void file(Path path, String text) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      return List.copyOf(
          new TreeSet<>(
              tree.filter(path -> !path.equals(directory))
                  .map(path -> directory.relativize(path).toString())
                  .toList()));
    }
  }

  private void foreign(Path among) throws IOException {
    file(among.resolve("notes.txt"), "mine");
    file(among.resolve("mine/manifest.json"), "{}");
    file(among.resolve("mine/disk"), "mine");
    file(among.resolve(".del-mine/kept"), "mine");
    file(among.resolve(".new-mine/kept"), "mine");
    file(among.resolve(".del-" + OTHER.toUpperCase(java.util.Locale.ROOT)), "mine");
    Files.createSymbolicLink(among.resolve(".del-" + OTHER), Path.of("/etc"));
    // Directories with Ramet's names but damaged content.
    file(among.resolve("a0123456789abcdefghi/manifest.json"), "{ not json");
    file(among.resolve("b0123456789abcdefghi/manifest.json"), "{\"id\":\"another\"}");
    file(among.resolve("c0123456789abcdefghi/manifest.json"), "null");
    file(among.resolve("d0123456789abcdefghi/manifest.json"), "");
    file(among.resolve("e0123456789abcdefghi/manifest.json"), "{\"id\":\"e0123456789abcdefghi\"}");
    Files.createDirectories(among.resolve("f0123456789abcdefghi/manifest.json"));
    file(among.resolve("g0123456789abcdefghi/vm-0/console.log"), "its manifest is lost");
  }

  @Test
  void whatIsForeignOrDamagedAmongTheSandboxesIsLeftAlone() throws IOException {
    Layout layout = new Layout(directory);
    foreign(layout.sandboxes());
    List<String> before = names(directory);
    assertEquals(List.of(), new SandboxStore(layout).load());
    assertEquals(before, names(directory));
  }

  @Test
  void whatIsForeignOrDamagedAmongTheSnapshotsIsLeftAlone() throws IOException {
    Layout layout = new Layout(directory);
    foreign(layout.snapshots());
    List<String> before = names(directory);
    SnapshotStore store = new SnapshotStore(layout, StepObserver.NONE);
    store.load();
    assertEquals(List.of(), List.copyOf(store.all()));
    assertEquals(before, names(directory));
  }

  @Test
  void whatWasHalfMadeOrHalfDeletedIsRemoved() throws IOException {
    Layout layout = new Layout(directory);
    Files.createDirectories(layout.sandbox(ID));
    file(layout.sandbox(OTHER).resolve(".manifest.json.new"), "{");
    file(layout.sandboxes().resolve(".del-" + ID).resolve("vm-1/console.log"), "");
    file(layout.partialSnapshot(ID).resolve("kernel"), "half");
    file(layout.snapshots().resolve(".del-" + OTHER).resolve("manifest.json"), "{}");
    assertEquals(List.of(), new SandboxStore(layout).load());
    new SnapshotStore(layout, StepObserver.NONE).load();
    assertEquals(List.of("sandboxes", "snapshots"), names(directory));
  }

  @Test
  void whatAProbeLeftIsKnownByItsName() throws IOException {
    Path scratch = Files.createTempDirectory(directory, ProbeLeftovers.PREFIX);
    file(scratch.resolve("probe1/first/qemu.pid"), "1");
    String trial = ".ramet-probe-01234567-89ab-cdef-0123-456789abcdef";
    file(directory.resolve(trial + "-a"), "");
    file(directory.resolve(trial).resolve("volumes/v"), "");
    List<Path> remains = ProbeLeftovers.findIn(directory);
    assertEquals(3, remains.size());
    for (Path one : remains) {
      assertTrue(ProbeLeftovers.remove(one, new UnavailableHypervisor("", "")));
      assertFalse(Files.exists(one));
    }
    file(directory.resolve(".probe-mine/kept"), "mine");
    file(directory.resolve(".probe-12"), "mine");
    file(directory.resolve(".ramet-probe-mine"), "mine");
    Files.createSymbolicLink(directory.resolve(".probe-1"), Path.of("/etc"));
    assertEquals(List.of(), ProbeLeftovers.findIn(directory));
  }
}
