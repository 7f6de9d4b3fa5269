// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.engine.root.ContentPermissions;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.testing.Require;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that other users are kept out of roots and their content. */
final class OwnerOnlyFilesTest {
  @TempDir private Path directory;

  private static void mode(Path path, int mode) throws IOException {
    Files.setAttribute(path, "unix:mode", mode);
  }

  private static String mode(Path path) throws IOException {
    return Integer.toOctalString((int) Files.getAttribute(path, "unix:mode") & 07777);
  }

  private Path file(String name, int mode) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x");
    mode(file, mode);
    return file;
  }

  private Path folder(String name, int mode) throws IOException {
    Path folder = Files.createDirectories(directory.resolve(name));
    mode(folder, mode);
    return folder;
  }

  @Test
  void aRootIsMadeAndClosedAndWhatIsAboveItIsNot() throws IOException {
    mode(directory, 0755);
    Path root = directory.resolve("root");
    OwnerOnlyFiles.secureRoot("data root", root);
    assertEquals("700", mode(root));
    for (int before : new int[] {0755, 0750, 0777, 0711, 0701}) {
      mode(root, before);
      OwnerOnlyFiles.secureRoot("data root", root);
      assertEquals("700", mode(root));
    }
    assertEquals("755", mode(directory));
  }

  @Test
  void aLinkStandsForTheRootThatItNames() throws IOException {
    Path root = folder("root", 0755);
    OwnerOnlyFiles.secureRoot(
        "data root", Files.createSymbolicLink(directory.resolve("link"), root));
    assertEquals("700", mode(root));
  }

  @Test
  void aDirectoryThatOthersUseIsRefusedAndLeftAsItIs() throws IOException {
    Path likeTmp = folder("tmp", 01777);
    assertRefused(likeTmp);
    assertEquals("1777", mode(likeTmp));
    Path file = file("plain", 0644);
    assertRefused(file);
  }

  @Test
  void filesOfOthersAreNotLockedAwayUnlessTheRootIsOne() throws IOException {
    Require.root();
    Path home = folder("home", 0755);
    Files.setAttribute(folder("home/somebody", 0755), "unix:uid", 65534);
    assertRefused(home);
    assertEquals("755", mode(home));
    file("home/root.json", 0644);
    OwnerOnlyFiles.secureRoot("data root", home);
    assertEquals("700", mode(home));
  }

  private static void assertRefused(Path root) {
    RametException e =
        assertThrows(
            RametException.class,
            () -> OwnerOnlyFiles.secureRoot("data root", root),
            root::toString);
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
  }

  @Test
  void whatEarlierVersionsMadeIsClosed() throws IOException {
    Path console = file("sandboxes/s1/vm-1/console.log", 0644);
    Path manifest = file("snapshots/p1/manifest.json", 0604);
    Path lock = file(".lock", 0666);
    for (String open : new String[] {"sandboxes", "sandboxes/s1", "sandboxes/s1/vm-1"}) {
      folder(open, 0755);
    }
    folder("snapshots/p1", 0750);
    folder("snapshots", 0755);
    Path script = file("builds/run", 0755);
    folder("builds", 0755);
    ContentPermissions.restrict(directory);
    for (Path path : new Path[] {console, manifest, lock}) {
      assertEquals("600", mode(path), path.toString());
    }
    assertEquals("700", mode(script));
    for (String name : new String[] {"sandboxes", "sandboxes/s1/vm-1", "snapshots/p1", "builds"}) {
      assertEquals("700", mode(directory.resolve(name)), name);
    }
  }

  @Test
  void whatGuestsAndBackendsGaveAMeaningKeepsIt() throws IOException {
    Path guests = file("shared-volumes/v1/files/app/run.sh", 0755);
    Path files = folder("shared-volumes/v1/files", 01777);
    Path nameless = file("shared-volumes/v1/nameless/1a", 0644);
    Path answers = file("shared-volumes/v1/answers", 0644);
    folder("shared-volumes/v1/nameless", 0755);
    folder("shared-volumes/v1", 0755);
    folder("shared-volumes", 0755);
    Path sealed = file("volumes/o/n", 01600);
    Path unknown = file("volumes/o/other", 0644);
    folder("volumes", 0755);
    Path outside = file("outside", 0644);
    mode(folder("root", 0755), 0755);
    Path link = Files.createSymbolicLink(directory.resolve("root/link"), outside);
    ContentPermissions.restrict(directory.resolve("root"));
    assertEquals("644", mode(link), "what a link names is not the root's");
    ContentPermissions.restrict(directory);
    assertEquals("755", mode(guests));
    assertEquals("1777", mode(files));
    assertEquals("644", mode(nameless));
    assertEquals("600", mode(answers));
    assertEquals("700", mode(directory.resolve("shared-volumes/v1/nameless")));
    assertEquals("700", mode(directory.resolve("shared-volumes/v1")));
    assertEquals("1600", mode(sealed));
    assertEquals("644", mode(unknown));
    assertEquals("700", mode(directory.resolve("volumes")));
  }

  @Test
  void aClosedDirectoryIsNotEnteredAgain() throws IOException {
    Path below = file("snapshots/p1/devices", 0644);
    folder("snapshots/p1", 0755);
    folder("snapshots", 0700);
    ContentPermissions.restrict(directory);
    assertEquals("644", mode(below), "out of reach, and not looked for at each start");
  }
}
