// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the NBD server with clients that others have written, and with requests that are wrong. */
class NbdServerTest {
  private static final NodeId V = NodeId.of("v");
  private static final NodeId S = NodeId.of("s");
  private static final int BYTES = 3 << 20;

  @TempDir private Path directory;
  private RemoteHarness harness;
  private StorageBackend backend;
  private byte[] content;

  @BeforeEach
  void open() throws IOException {
    harness = new RemoteHarness(Files.createDirectory(directory.resolve("root"))).start();
    backend = harness.provider().open(new ProbeContext(harness.root()));
    content = new byte[BYTES];
    byte[] data = new byte[1 << 20];
    new Random(5).nextBytes(data);
    System.arraycopy(data, 0, content, 1 << 20, data.length);
    backend.create(V, BYTES);
    harness.io().write(backend.attach(V), 0, content);
    backend.snapshot(V, S, Durability.DURABLE);
  }

  @AfterEach
  void close() {
    backend.close();
    harness.close();
  }

  private String url(NodeId id) {
    return "nbd+unix:///" + id + "?socket=" + harness.nbdSocket();
  }

  private void qemuImg(int status, String... arguments) throws Exception {
    Path program = Path.of("/usr/bin/qemu-img");
    Requirement.of("qemu-img", Files.isExecutable(program), "no " + program);
    String[] command = new String[arguments.length + 1];
    command[0] = program.toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(status, process.waitFor(), () -> Arrays.toString(command) + ": " + output);
  }

  @Test
  void anotherClientReadsTheSameBytes() throws Exception {
    Path file = Files.write(directory.resolve("file"), content);
    harness.remote().orElseThrow().forget(S);
    qemuImg(0, "compare", "-f", "raw", "-F", "raw", url(S), file.toString());
    content[BYTES - 1]++;
    Files.write(file, content);
    qemuImg(1, "compare", "-f", "raw", "-F", "raw", url(S), file.toString());
  }

  @Test
  void anotherClientWrites() throws Exception {
    new Random(6).nextBytes(content);
    Arrays.fill(content, 0, 1 << 20, (byte) 0);
    Path file = Files.write(directory.resolve("file"), content);
    qemuImg(0, "convert", "-n", "-f", "raw", "-O", "raw", file.toString(), url(V));
    assertArrayEquals(content, harness.io().read(backend.attach(V), 0, BYTES));
    qemuImg(1, "convert", "-n", "-f", "raw", "-O", "raw", file.toString(), url(S));
    qemuImg(1, "info", url(NodeId.of("none")));
  }

  @Test
  void refusedRequestsChangeNothing() throws IOException {
    Attachment volume = backend.attach(V);
    Attachment snapshot = backend.attach(S);
    byte[] page = new byte[4096];
    assertThrows(IOException.class, () -> harness.io().write(snapshot, 0, page));
    assertThrows(IOException.class, () -> harness.io().discard(snapshot, 0, 4096));
    assertThrows(IOException.class, () -> harness.io().write(volume, BYTES - 1, page));
    assertThrows(IOException.class, () -> harness.io().read(volume, BYTES, 1));
    assertThrows(IOException.class, () -> harness.io().read(volume, -1, 1));
    assertArrayEquals(content, harness.io().read(volume, 0, BYTES));
    assertArrayEquals(content, harness.io().read(snapshot, 0, BYTES));
  }

  /** Only whole pages can be freed, and the rest of the range must be zero all the same. */
  @Test
  void aRangeThatIsNotAlignedIsZeroed() throws IOException {
    Attachment volume = backend.attach(V);
    int from = (1 << 20) + 100;
    int length = 3 * 4096;
    harness.io().discard(volume, from, length);
    Arrays.fill(content, from, from + length, (byte) 0);
    harness.io().discard(volume, from + 5 * 4096, 10);
    Arrays.fill(content, from + 5 * 4096, from + 5 * 4096 + 10, (byte) 0);
    assertArrayEquals(content, harness.io().read(volume, 0, BYTES));
  }
}
