// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.it.Installed.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import org.junit.jupiter.api.Test;

/**
 * Checks builds of container images that do not finish: the host is killed, the caller cancels, the
 * disk is full. Nothing is left behind, and the next build under the name succeeds.
 */
final class BrokenBuildsTest extends BrokenBuildsGround {
  @Test
  void aHostThatIsKilledLeavesNothingOfABuild() throws Exception {
    Path data = Files.createDirectory(scratch.resolve("killed"));
    Installed host = serve(data);
    try {
      SortedSet<String> before = RootFiles.of(data);
      for (During during : During.values()) {
        String operation = begin(host, false);
        String build = reach(host, data, operation, during);
        host.server().destroyForcibly().waitFor();
        assertFalse(before.equals(RootFiles.of(data)), "there is something to be removed");
        host = serve(data);
        assertNothingLeft(data, build, before, during.toString());
        assertFalse(host.run("template", "ls").out().contains(NAME), during.toString());
      }
      assertBuilds(host);
    } finally {
      end(host, data);
    }
  }

  @Test
  void oneThatIsCancelledEndsAtOnceAndLeavesNothing() throws Exception {
    Path data = Files.createDirectory(scratch.resolve("cancelled"));
    Installed host = serve(data);
    try {
      SortedSet<String> before = RootFiles.of(data);
      for (During during : During.values()) {
        String operation = begin(host, false);
        String build = reach(host, data, operation, during);
        Run taken = host.run("template", "build", "--oci", "" + image, "--name", NAME);
        assertEquals(4, taken.status(), taken.err());
        if (during == During.READING) {
          assertEquals(202, host.request("DELETE", "/operations/" + operation, null));
        } else {
          Run cancelled = host.run("operation", "cancel", operation);
          assertEquals(0, cancelled.status(), cancelled.err());
        }
        // A readiness check in the guest takes up to ten seconds; a recipe's process is not waited
        // for.
        await(
            during == During.WAITING ? 60 : 30,
            "it goes on: " + during,
            () -> !operation(host, operation).path("state").asText().equals("running"));
        JsonNode ended = operation(host, operation);
        assertEquals("cancelled", ended.path("state").asText(), ended.toString());
        assertEquals("CANCELLED", ended.path("error").path("error").asText(), ended.toString());
        assertNothingLeft(data, build, before, during.toString());
      }
      assertBuilds(host);
    } finally {
      end(host, data);
    }
  }

  private void assertBuilds(Installed host) throws Exception {
    JsonNode built = build(host);
    assertTrue(built.has("templateID"), built.toString());
    assertEquals(0, host.run("template", "rm", NAME).status());
  }
}
