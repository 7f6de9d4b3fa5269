// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.agent.host.AgentAccess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The agent's own server of workspaces, run on this machine without the rest of the agent. */
final class WorkspaceGround implements AutoCloseable {
  private final Process server;
  private final InetSocketAddress address;

  WorkspaceGround() throws Exception {
    Path program = Path.of("target", "workspace-server").toAbsolutePath();
    Process build =
        new ProcessBuilder("go", "test", "-c", "-o", program.toString(), "./workspace")
            .directory(Path.of("..", "guest", "agent").toFile())
            .inheritIO()
            .start();
    assertTrue(build.waitFor(5, TimeUnit.MINUTES), "the server is not built in time");
    assertEquals(0, build.exitValue());
    ProcessBuilder run = new ProcessBuilder(program.toString());
    run.environment().put("WORKSPACE_TEST_SERVES", "yes");
    server = run.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = firstLine();
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), URI.create(line).getPort());
  }

  private String firstLine() throws IOException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII));
    return String.valueOf(lines.readLine());
  }

  Workspace of(Path root) {
    return of(address, root.toString());
  }

  static Workspace of(InetSocketAddress address, String root) {
    return new Workspace(address, new AgentAccess(null, null), root, Duration.ofSeconds(60));
  }

  @Override
  public void close() throws InterruptedException {
    server.destroyForcibly().waitFor();
  }
}
