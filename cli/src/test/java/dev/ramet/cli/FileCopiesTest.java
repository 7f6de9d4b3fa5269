// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code cp} of files, which calls the agent through the host. */
final class FileCopiesTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void copyIn(@TempDir Path folder) throws Exception {
    byte[] content = new byte[3_000_000];
    new Random(3).nextBytes(content);
    Path file = Files.write(folder.resolve("a b"), content);
    host.on("/sandboxes/abc", 200, "{\"envdAccessToken\":\"s3cret\"}");
    host.on("/files", 200, "[{\"path\":\"/root/a b\"}]");
    assertEquals(0, host.run("sandbox", "cp", file.toString(), "abc:/root/").status());
    FakeHost.Request request = host.requests.get(1);
    assertEquals("POST", request.method());
    assertEquals("/files?path=%2Froot%2Fa%20b", request.uri());
    assertEquals("application/octet-stream", request.headers().getFirst("Content-Type"));
    assertEquals("3000000", request.headers().getFirst("Content-Length"));
    assertEquals("s3cret", request.headers().getFirst("X-Access-Token"));
    assertArrayEquals(content, request.body());

    assertEquals(0, host.run(content, "sandbox", "cp", "-", "abc:/x", "--json").status());
    assertEquals("chunked", host.requests.get(3).headers().getFirst("Transfer-Encoding"));
    assertArrayEquals(content, host.requests.get(3).body());
  }

  @Test
  void copyOut(@TempDir Path folder) throws Exception {
    byte[] content = new byte[3_000_000];
    new Random(4).nextBytes(content);
    host.on(
        "/files",
        (exchange, body) -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
        });
    assertEquals(0, host.run("sandbox", "cp", "abc:/var/x", folder.toString()).status());
    assertArrayEquals(content, Files.readAllBytes(folder.resolve("x")));
    assertArrayEquals(content, host.run("sandbox", "cp", "abc:/var/x", "-").bytes());
  }

  @Test
  void aCopyThatFailsLeavesTheTarget(@TempDir Path folder) throws Exception {
    Path target = Files.writeString(folder.resolve("x"), "old");
    host.on("/files", 404, "{\"code\":404,\"message\":\"no such file\"}");
    FakeHost.Outcome done = host.run("sandbox", "cp", "abc:/y", target.toString());
    assertEquals(3, done.status());
    assertEquals("old", Files.readString(target));
    assertEquals(1, folder.toFile().list().length);
  }

  @Test
  void aFolderIsRefused(@TempDir Path folder) {
    FakeHost.Outcome done = host.run("sandbox", "cp", folder.toString(), "abc:/root");
    assertEquals(2, done.status());
    assertTrue(done.err().contains("-r"), done.err());
    assertFalse(host.requests.stream().anyMatch(r -> r.uri().startsWith("/files")));
  }

  @Test
  void theGuestDoesNotChooseWhereAFolderIsCopiedTo(@TempDir Path folder) throws Exception {
    Path local = Files.createDirectory(folder.resolve("here"));
    host.on("/sandboxes/abc", 200, "{}");
    for (String answered : new String[] {"/", "/etc/..", "/etc/."}) {
      host.on(
          "/filesystem.Filesystem/Stat",
          200,
          "{\"entry\":{\"path\":\"%s\",\"type\":\"FILE_TYPE_DIRECTORY\"}}".formatted(answered));
      FakeHost.Outcome done = host.run("sandbox", "cp", "-r", "abc:/var/x", local.toString());
      assertEquals(2, done.status(), done.err());
      host.remove("/filesystem.Filesystem/Stat");
    }
    host.on(
        "/filesystem.Filesystem/Stat",
        200,
        "{\"entry\":{\"path\":\"/root/x\",\"type\":\"FILE_TYPE_DIRECTORY\"}}");
    for (String written : new String[] {"~", "..", "/var/.."}) {
      FakeHost.Outcome done = host.run("sandbox", "cp", "-r", "abc:" + written, local.toString());
      assertEquals(2, done.status(), written + done.err());
    }
    assertEquals(1, folder.toFile().list().length);
    assertEquals(0, local.toFile().list().length);
  }
}
