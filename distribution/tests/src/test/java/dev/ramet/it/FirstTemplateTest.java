// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.testing.Require;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that an installed host without templates builds the default one, from images that exist,
 * and that a stop in the middle leaves nothing and the next start begins again.
 */
@Timeout(600)
final class FirstTemplateTest {
  @TempDir private Path directory;

  /** Makes the recipes of the host: one that waits until the test lets it finish. */
  private Path guest(Path go) throws IOException {
    String images = System.getenv("RAMET_TEST_TEMPLATE");
    Require.feature("template", images != null, "RAMET_TEST_TEMPLATE names no template");
    Path guest = Files.createDirectory(directory.resolve("guest"));
    Path micro = Files.createDirectories(guest.resolve("templates/micro"));
    String script =
        """
        #!/bin/bash
        set -euo pipefail
        case $1 in
          build)
            while [ ! -e '%1$s' ]; do sleep 0.1; done
            cp --sparse=always -- '%2$s'/{kernel,initrd,rootfs.raw,template.json} "$2/"
            ;;
          key) echo 1 ;;
        esac
        """
            .formatted(go, images);
    Path recipe = Files.writeString(micro.resolve("recipe"), script);
    Files.setPosixFilePermissions(recipe, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(
        guest.resolve("ramet-agent"),
        Path.of(System.getProperty("ramet.guest")).resolve("ramet-agent"));
    return guest;
  }

  private static String get(Installed host, String path) {
    try (InputStream answer = host.open(path)) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theDefaultTemplateIsBuiltAndAStopLeavesNothing() throws Exception {
    Path go = directory.resolve("go");
    Path data = Files.createDirectory(directory.resolve("data"));
    Map<String, String> settings =
        Map.of(
            "RAMET_TEMPLATE_BUILD", "auto",
            "RAMET_GUEST_DIR", guest(go).toString(),
            "RAMET_STORAGE_PROVISION", "OFF");
    Installed host = Installed.serve(data, settings);
    try {
      BrokenBuildsGround.await(
          120,
          "no build begins",
          () -> {
            String operations = get(host, "/operations");
            return operations.contains("template.build") && operations.contains("running");
          });
      BrokenBuildsGround.await(60, "no recipe runs", () -> !builds(data).isEmpty());
      Installed.Run early = host.run("sandbox", "create");
      assertEquals(3, early.status(), early.err());
      assertTrue(early.err().contains("it is being built now"), early.err());
    } finally {
      host.close();
    }
    assertFalse(host.server().isAlive());
    assertEquals(List.of(), builds(data), "nothing half-made is left");
    assertEquals(List.of(), BrokenBuildsGround.processes("none", data), "no recipe runs on");

    Files.createFile(go);
    Installed next = Installed.serve(data, settings);
    try {
      BrokenBuildsGround.await(
          300, "the template is not built", () -> get(next, "/templates").contains("micro"));
      Installed.Run created = next.run("sandbox", "create");
      assertEquals(0, created.status(), created.err());
      assertEquals(0, next.run("sandbox", "kill", created.out().strip()).status());
    } finally {
      BrokenBuildsGround.end(next, data);
    }
    String log = Files.readString(Path.of("target/served.log"));
    assertTrue(log.contains("building the template micro: "), "the log shows the progress");
    assertTrue(log.contains("the template micro is ready: "), "the log shows the end");
  }

  private static List<String> builds(Path data) {
    try {
      Path builds = data.resolve("builds");
      return Files.exists(builds) ? BrokenBuildsGround.names(builds) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
