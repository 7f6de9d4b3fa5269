// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class VolumeCommandsTest {
  private static final String LIST =
      "[{\"volumeID\":\"v1\",\"name\":\"data\"},{\"volumeID\":\"v2\",\"name\":\"models\"}]";
  private static final String ONE = "{\"volumeID\":\"v1\",\"name\":\"data\",\"token\":\"secret\"}";

  @AutoClose private final FakeHost host = new FakeHost();

  @BeforeEach
  void start() {
    host.on(
        "/volumes",
        (exchange, body) -> {
          boolean post = exchange.getRequestMethod().equals("POST");
          FakeHost.answer(exchange, post ? 201 : 200, post ? ONE : LIST);
        });
  }

  @Test
  void createPrintsTheId() {
    assertEquals("v1\n", host.run("volume", "create", "data").out());
    assertEquals("{\"name\":\"data\"}", host.requests.get(0).text());
    assertEquals(ONE + "\n", host.run("volume", "create", "data", "--json").out());
  }

  @Test
  void listIsATableIdsOrJson() {
    String[] lines = host.run("vol", "ls").out().split("\n", -1);
    assertEquals("NAME    VOLUME", lines[0]);
    assertEquals("models  v2", lines[2]);
    assertEquals("v1\nv2\n", host.run("volume", "list", "-q").out());
    assertEquals(LIST + "\n", host.run("volume", "ls", "--json").out());
  }

  @Test
  void showTakesANameAndTellsWhoHasIt() {
    host.on("/volumes/v1", 200, ONE);
    String mounts = ",\"volumeMounts\":[{\"name\":\"data\",\"path\":\"/mnt/d\"}]";
    host.on("/v2/sandboxes", 200, "[" + Answers.sandbox("abc", mounts) + "]");
    String table = host.run("volume", "show", "data").out();
    assertTrue(table.contains("secret") && table.contains("abc at /mnt/d"), table);
    assertEquals(ONE + "\n", host.run("volume", "show", "v1", "--json").out());
  }

  @Test
  void removingGoesOnAfterAFailure() {
    host.on("/volumes/v1", 409, Answers.error(409, "CONFLICT", "volume data is in use by abc", ""));
    host.on("/volumes/v2", 204, "");
    FakeHost.Outcome done = host.run("volume", "rm", "data", "models");
    assertEquals(4, done.status());
    assertEquals("models\n", done.out());
    assertTrue(done.err().contains("in use by abc"), done.err());
  }

  @Test
  void aSandboxIsCreatedWithVolumes() {
    host.on("/sandboxes", 201, Answers.sandbox("abc", ""));
    FakeHost.Outcome done =
        host.run("sandbox", "create", "--volume", "data:/mnt/a:b", "--volume", "models:/m");
    assertEquals(0, done.status(), done.err());
    assertEquals(
        "{\"templateID\":\"micro\",\"volumeMounts\":[{\"name\":\"data\",\"path\":\"/mnt/a:b\"},"
            + "{\"name\":\"models\",\"path\":\"/m\"}]}",
        host.requests.get(0).text());
    for (String bad : new String[] {"data", ":/mnt", "data:"}) {
      FakeHost.Outcome refused = host.run("sandbox", "create", "--volume", bad);
      assertEquals(2, refused.status());
      assertTrue(refused.err().contains("data:/mnt/data"), refused.err());
    }
  }
}
