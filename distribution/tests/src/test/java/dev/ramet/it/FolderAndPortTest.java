// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.client.Ramet;
import dev.ramet.client.Sandbox;
import java.io.BufferedReader;
import java.io.RandomAccessFile;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests copies of folders, and forwarded ports, with the installed command line. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FolderAndPortTest {
  private static final int NOBODY = 65_534;
  private static final long LARGE = 1L << 30;
  private static final Instant LONG_AGO = Instant.ofEpochSecond(1_000_000_000);

  @TempDir private Path scratch;
  private Ground ground;
  private Installed host;
  private Sandbox sandbox;

  @BeforeAll
  void start() throws Exception {
    ground = Ground.make();
    ground.closeEngine();
    host = Installed.serve(ground.dataRoot(), Map.of());
    Ramet ramet = host.client();
    sandbox = ramet.create("micro");
  }

  @AfterAll
  void end() throws Exception {
    if (host != null) {
      host.close();
    }
    ground.openEngine();
    ground.close();
  }

  private Installed.Run cp(String... paths) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of("sandbox", "cp", "-r"));
    command.addAll(List.of(paths));
    return host.run(command.toArray(String[]::new));
  }

  private void copied(String... paths) throws Exception {
    Installed.Run run = cp(paths);
    assertEquals(0, run.status(), run.err());
  }

  private Path folder() throws Exception {
    Path folder = Files.createDirectories(Files.createTempDirectory(scratch, "from").resolve("it"));
    Files.write(folder.resolve("big"), new byte[700_000]);
    Path program = Files.createDirectory(folder.resolve("bin")).resolve("run me");
    Files.writeString(program, "#!/bin/sh\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-x--x"));
    Files.createLink(folder.resolve("again"), program);
    Files.createSymbolicLink(folder.resolve("link"), Path.of("bin/run me"));
    Files.createSymbolicLink(folder.resolve("away"), Path.of("/etc/shadow"));
    Files.setLastModifiedTime(program, FileTime.from(LONG_AGO));
    return folder;
  }

  @Test
  void aFolderComesBackAsItWas() throws Exception {
    Path folder = folder();
    copied(folder.toString(), sandbox.id() + ":/srv");
    assertEquals(
        "751 1000000000 2", sandbox.run("stat -c '%a %Y %h' '/srv/it/bin/run me'").text().strip());
    Path back = scratch.resolve("back");
    copied(sandbox.id() + ":/srv/it", back.toString());
    assertEquals(
        "", new String(diff(folder, back).readAllBytes(), StandardCharsets.UTF_8), "differences");
    Path program = back.resolve("bin/run me");
    assertEquals(LONG_AGO, Files.getLastModifiedTime(program).toInstant());
    assertEquals(
        "rwxr-x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(program)));
    assertEquals(2, Files.getAttribute(program, "unix:nlink"));
    // Into a folder that exists, and only what is in it.
    copied(sandbox.id() + ":/srv/it", back.toString());
    assertTrue(Files.exists(back.resolve("it/big")));
    copied(folder + "/.", sandbox.id() + ":/opt/new/place");
    assertEquals("700000", sandbox.run("stat -c %s /opt/new/place/big").text().strip());
  }

  private static java.io.InputStream diff(Path one, Path other) throws Exception {
    return new ProcessBuilder("diff", "-r", "--no-dereference", "" + one, "" + other)
        .redirectErrorStream(true)
        .start()
        .getInputStream();
  }

  @Test
  void aCopyThatFailsLeavesNothing() throws Exception {
    Path folder = folder();
    sandbox.run("mkdir /tmp/small; mount -t tmpfs -o size=256k none /tmp/small").text();
    Installed.Run full = cp(folder.toString(), sandbox.id() + ":/tmp/small/it");
    assertEquals(1, full.status(), full.err());
    assertTrue(full.err().contains("No space left"), full.err());
    assertEquals("", sandbox.run("ls -A /tmp/small").text());
    Path target = Files.createDirectory(scratch.resolve("empty"));
    Installed.Run missing = cp(sandbox.id() + ":/nosuchfolder", target.toString());
    assertEquals(3, missing.status(), missing.err());
    try (var names = Files.list(target)) {
      assertEquals(0, names.count());
    }
  }

  /** In the guest, the user who unpacks is not root; here, the user who moves the folder is not. */
  @Test
  void foldersThatMustNotBeWrittenToAreCopiedWithTheirModes() throws Exception {
    Path folder = scratch.resolve("closed");
    Path inner = Files.createDirectories(folder.resolve("inner"));
    Files.writeString(inner.resolve("file"), "content");
    for (Path closed : List.of(inner, folder)) {
      Files.setLastModifiedTime(closed, FileTime.from(LONG_AGO));
      Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
    }
    String there = sandbox.id() + ":/home/user/closed";
    Installed.Run up = cp(folder.toString(), there, "--user", "user");
    assertEquals(0, up.status(), up.err());
    assertEquals(
        "555 1000000000 user\n".repeat(2),
        sandbox.run("cd /home/user/closed; stat -c '%a %Y %U' . inner").text());
    assertEquals("closed\n", sandbox.run("ls -A /home/user").text());

    // The directory of a test is its user's own.
    Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
    Path other = Files.createDirectory(scratch.resolve("of-other"));
    Files.setAttribute(other, "unix:uid", NOBODY);
    Installed.Run down = asNobody("sandbox", "cp", "-r", there, other.resolve("back").toString());
    assertEquals(0, down.status(), down.err());
    for (String name : List.of("back", "back/inner")) {
      Path made = other.resolve(name);
      assertEquals("r-xr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
      assertEquals(LONG_AGO, Files.getLastModifiedTime(made).toInstant());
    }
    assertEquals(List.of("back"), names(other));
  }

  private static List<String> names(Path folder) throws Exception {
    try (var names = Files.list(folder)) {
      return names.map(path -> String.valueOf(path.getFileName())).toList();
    }
  }

  /** Runs the command line as a user without rights, with a key of the host. */
  private Installed.Run asNobody(String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>();
    command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
    command.add(Installed.program().toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HOME", "/nonexistent");
    builder.environment().put("RAMET_SERVER", host.uri().toString());
    builder.environment().put("RAMET_API_KEY", String.valueOf(host.key()));
    Process process = builder.start();
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Installed.Run(process.waitFor(), "", err);
  }

  /** A signal, such as that of Ctrl-C, ends a copy in the middle: the file is large and sparse. */
  @Test
  void aCopyThatIsInterruptedLeavesNothing() throws Exception {
    Path folder = Files.createDirectory(scratch.resolve("large"));
    try (var sparse = new RandomAccessFile(folder.resolve("file").toFile(), "rw")) {
      sparse.setLength(LARGE);
    }
    Process up = host.start("sandbox", "cp", "-r", folder.toString(), sandbox.id() + ":/mnt/large");
    sandbox.run("until ls -A /mnt | grep -q '^.ramet-copy'; do :; done").text();
    up.destroy();
    assertEquals(143, up.waitFor());
    assertEquals("", sandbox.run("ls -A /mnt").text());

    sandbox.run("mkdir /srv/large; truncate -s " + LARGE + " /srv/large/file").text();
    Path target = Files.createDirectory(scratch.resolve("interrupted"));
    try (WatchService changes = target.getFileSystem().newWatchService()) {
      target.register(changes, StandardWatchEventKinds.ENTRY_CREATE);
      Process down = host.start("sandbox", "cp", "-r", sandbox.id() + ":/srv/large", "" + target);
      assertNotNull(changes.poll(1, TimeUnit.MINUTES));
      down.destroy();
      assertEquals(143, down.waitFor());
    }
    assertEquals(List.of(), names(target));
    sandbox.run("while pidof tar; do :; done").text();
  }

  @Test
  void aPortIsForwardedAlsoAfterARollback() throws Exception {
    sandbox.run("echo hello > /srv/index.html; httpd -p 8000 -h /srv").text();
    assertEquals(0, host.run("snapshot", "create", sandbox.id(), "--name", "serving").status());
    Process forward = host.start("port-forward", sandbox.id(), ":8000", ":9");
    try (BufferedReader out = forward.inputReader(StandardCharsets.UTF_8)) {
      int port = port(out.readLine(), 8000);
      final int closed = port(out.readLine(), 9);
      assertEquals("hello\n", get(port));
      sandbox.run("echo changed > /srv/index.html").text();
      assertEquals("changed\n", get(port));
      assertEquals(0, host.run("sandbox", "rollback", sandbox.id(), "serving").status());
      assertEquals("hello\n", get(port));
      try (Socket nobody = new Socket(InetAddress.getLoopbackAddress(), closed)) {
        assertEquals(-1, nobody.getInputStream().read());
      }
    } finally {
      forward.destroy();
      assertTrue(forward.waitFor(1, TimeUnit.MINUTES));
    }
  }

  /** As with nc -N: the client ends its output, and the guest answers after it has seen the end. */
  @Test
  void eachSideMayEndItsOutputFirst() throws Exception {
    sandbox.run("nc -ll -p 9001 -e wc -c < /dev/null > /dev/null 2>&1 &").text();
    byte[] question = new byte[300_000];
    Process forward = host.start("port-forward", sandbox.id(), ":9001");
    try (BufferedReader out = forward.inputReader(StandardCharsets.UTF_8)) {
      int port = port(out.readLine(), 9001);
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.getOutputStream().write(question);
        client.shutdownOutput();
        String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("300000", answer.strip());
      }
    } finally {
      forward.destroy();
      assertTrue(forward.waitFor(1, TimeUnit.MINUTES));
    }
  }

  private static int port(String line, int remote) {
    assertTrue(line.startsWith("Forwarding from 127.0.0.1:"), line);
    assertTrue(line.endsWith(" -> " + remote), line);
    return Integer.parseInt(line.substring(line.indexOf(':') + 1, line.indexOf(" ->")));
  }

  private static String get(int port) throws Exception {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
    connection.setRequestProperty("Connection", "close");
    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aPortInUseIsSaid() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String pair = taken.getLocalPort() + ":80";
      Installed.Run run = host.run("port-forward", sandbox.id(), pair);
      assertEquals(4, run.status(), run.err());
      assertTrue(run.err().contains("127.0.0.1:" + taken.getLocalPort()), run.err());
      assertFalse(run.err().contains("\tat "), run.err());
    }
  }
}
