// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests the commands for templates and their tags. */
final class TemplateCommandsTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void templatesAreBuiltLineByLine() {
    host.on(
        "/templates",
        200,
        "{\"step\":\"fetching\"}\n{\"step\":\"booting\"}\n{\"template\":"
            + Answers.TEMPLATE
            + "}\n");
    FakeHost.Outcome done = host.run("template", "build", "micro", "--disk", "2G");
    assertEquals("t1\n", done.out());
    assertEquals("- fetching\n- booting\nMade micro in 1.2 s.\n", done.err());
    FakeHost.Request request = host.requests.get(0);
    assertEquals("application/x-ndjson", request.headers().getFirst("Accept"));
    assertEquals("{\"recipe\":\"micro\",\"diskSizeMB\":2048}", request.text());
  }

  @Test
  void aBuildThatFailsHalfWay() {
    host.on(
        "/templates",
        200,
        "{\"step\":\"x\"}\n{\"error\":"
            + Answers.error(500, "HOST_UNFIT", "no xz", "get it")
            + "}\n");
    FakeHost.Outcome done = host.run("template", "build");
    assertEquals(5, done.status());
    assertEquals("- x\nerror: no xz\n  get it\n", done.err());
  }

  @Test
  void aBuildWhoseHostGoesAway() {
    host.on("/templates", 200, "{\"step\":\"x\"}\n");
    assertEquals(6, host.run("template", "build").status());
  }

  @Test
  void versionsAreTaggedAndToldApart() {
    host.on("/templates/tags", 201, "{\"buildID\":\"t2\",\"tags\":[\"stable\"]}");
    assertEquals("t2\n", host.run("template", "tag", "web:v2", "stable", "v3").out());
    assertEquals(
        "{\"target\":\"web:v2\",\"tags\":[\"stable\",\"v3\"]}", host.requests.get(0).text());
    assertEquals(2, host.run("template", "tag", "web:v2").status());
    assertEquals(0, host.run("template", "untag", "web", "stable").status());
    FakeHost.Request removal = host.requests.get(1);
    assertEquals("DELETE", removal.method());
    assertEquals("{\"name\":\"web\",\"tags\":[\"stable\"]}", removal.text());

    String tags =
        "[{\"tag\":\"stable\",\"buildID\":\"t2\",\"createdAt\":\"2020-01-01T00:00:00Z\"}]";
    host.on("/templates/web:v2/tags", 200, tags);
    String table = host.run("template", "tags", "web:v2").out();
    assertTrue(table.startsWith("TAG     TEMPLATE  ASSIGNED\nstable  t2        "), table);
    assertEquals(tags + "\n", host.run("template", "tags", "web:v2", "--json").out());

    String version = Answers.TEMPLATE.replace("\"buildMs\"", "\"tags\":[\"v2\"],\"buildMs\"");
    host.on("/templates", 200, "[" + version + "]");
    assertTrue(host.run("template", "ls").out().contains("micro  v2    t1 "));
    host.on("/templates/image", 200, "{\"template\":" + version + "}\n");
    FakeHost.Outcome made = host.run("template", "build", "--oci", "/i", "--name", "micro:v2");
    assertEquals("Made micro:v2 in 1.2 s.\n", made.err());
  }

  @Test
  void importSendsAbsolutePaths() {
    host.on("/templates/import", 200, "{\"template\":" + Answers.TEMPLATE + "}\n");
    host.run("template", "import", "--name", "x", "--kernel", "/a/../k", "--rootfs", "/r");
    assertEquals(
        "{\"name\":\"x\",\"kernel\":\"/k\",\"rootfs\":\"/r\"}", host.requests.get(0).text());
  }

  @Test
  void anImageIsSentByItsPathWithWhatToDoWithIt() {
    host.on("/templates/image", 200, "{\"template\":" + Answers.TEMPLATE + "}\n");
    host.run(
        "template",
        "build",
        "--oci",
        "/a/../i.tar",
        "--name",
        "w",
        "--start",
        "x y",
        "--disk",
        "4G");
    assertEquals(
        "{\"name\":\"w\",\"image\":\"/i.tar\",\"start\":\"x y\",\"diskSizeMB\":4096}",
        host.requests.get(0).text());
    for (String[] wrong :
        new String[][] {
          {"template", "build", "--oci", "/i"},
          {"template", "build", "micro", "--oci", "/i", "--name", "x"},
          {"template", "build", "micro", "--no-start"}
        }) {
      assertEquals(2, host.run(wrong).status());
    }
    assertEquals(1, host.requests.size());
  }
}
