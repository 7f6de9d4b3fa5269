// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Ground for tests of the secret that a host shares with its guests' agents. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HostSecretGround {
  static final int AGENT_PORT = 49_983;

  static final SandboxRules SECURE = new SandboxRules(SandboxRules.AtEnd.KILL, true, false, true);

  static final String FILE = "/root/secret";

  static final List<String> HOST_ONLY =
      List.of(
          "/init",
          "/ready",
          "/settle",
          "/freeze",
          "/thaw",
          "/template",
          "/trust",
          "/unpack?dest=/",
          "/volume?id=v&path=/mnt");

  Ground ground;

  @BeforeAll
  void makeGround() throws Exception {
    ground = Ground.make();
  }

  @AfterAll
  void close() throws Exception {
    ground.close();
  }

  @AfterEach
  void clear() {
    ground.clear();
  }

  Sandboxes sandboxes() {
    return ground.engine().sandboxes();
  }

  Sandbox create(String source) {
    return sandboxes().create(NewSandbox.of(source).rules(SECURE).build());
  }

  Stranger stranger(Sandbox sandbox) {
    return new Stranger(sandboxes().endpoint(sandbox.id(), AGENT_PORT));
  }

  String secret(String kind, String id, String field) throws IOException {
    Path manifest = ground.root().resolve(kind).resolve(id).resolve("manifest.json");
    JsonNode secret = new ObjectMapper().readTree(Files.readAllBytes(manifest)).at(field);
    assertTrue(secret.isTextual(), kind + " " + id + " has a secret");
    return secret.asText();
  }

  String secret(Sandbox sandbox) throws IOException {
    return secret("sandboxes", sandbox.id(), "/machine/hostSecret");
  }

  String secret(Snapshot snapshot) throws IOException {
    return secret("snapshots", snapshot.id(), "/hostSecret");
  }

  /** Checks that nobody gets in with any secret known so far. */
  void refuses(Sandbox sandbox, Set<String> known, String when) throws Exception {
    assertEquals(Sandbox.Agent.AUTHENTICATED, sandboxes().get(sandbox.id()).agent(), when);
    Stranger stranger = stranger(sandbox);
    String own = secret(sandbox);
    assertFalse(known.contains(own), "each machine has a secret of its own, " + when);
    List<@Nullable String> tried = new ArrayList<>(known);
    tried.add(null);
    tried.add(own.substring(1));
    tried.add(own + "0");
    for (String secret : tried) {
      for (String path : HOST_ONLY) {
        assertEquals(401, stranger.post(path, secret), path + " " + when);
      }
    }
    known.add(own);
    assertEquals(401, stranger.read(FILE, null).statusCode(), when);
    assertEquals(401, stranger.read(FILE, "mine").statusCode(), when);
    assertEquals("kept\n", stranger.read(FILE, sandbox.accessToken()).body(), when);
    assertTrue(
        sandboxes().metrics(sandbox.id()).memoryTotalBytes() > 0, "the host gets in " + when);
  }

  /** Creates a secure sandbox with the file. */
  Sandbox withFile() throws Exception {
    Sandbox sandbox = create(Ground.TEMPLATE);
    shell(sandbox).run("echo kept >" + FILE);
    return sandbox;
  }

  GuestShell shell(Sandbox sandbox) {
    return new GuestShell(sandboxes().endpoint(sandbox.id(), AGENT_PORT), sandbox.accessToken());
  }

  static String pid(GuestShell shell) {
    try {
      return shell.run("pidof ramet-agent");
    } catch (IOException away) {
      return "";
    }
  }

  /** Returns the directory with the images of the usual template. */
  Path template() throws Exception {
    String made = System.getenv("RAMET_TEST_TEMPLATE");
    if (made != null) {
      return Path.of(made);
    }
    Path images = ground.dataRoot().resolve("images");
    Path guest = GuestFiles.directory();
    ProcessBuilder recipe =
        new ProcessBuilder(
                guest.resolve("templates/micro/recipe").toString(), "build", images.toString())
            .inheritIO();
    recipe.environment().put("RAMET_AGENT", guest.resolve("ramet-agent").toString());
    recipe
        .environment()
        .put("RAMET_CACHE", Objects.requireNonNull(System.getProperty("ramet.cache")));
    assertEquals(0, recipe.start().waitFor());
    return images;
  }
}
