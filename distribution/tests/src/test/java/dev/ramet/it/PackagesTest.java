// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the packages in a bare environment: a separate directory, no environment variable but a
 * path, and no Maven.
 */
@Timeout(900)
final class PackagesTest {
  private static final Path LAYOUT =
      Path.of(System.getProperty("ramet.guest"), "../..").normalize();
  private static final String VERSION = "1.2.3-test";
  private static final String SYSTEM =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  @TempDir private static Path made;
  @TempDir private Path work;

  @BeforeAll
  static void make() throws Exception {
    done(Map.of(), "../package", "" + LAYOUT, VERSION, "" + made.resolve("first"));
  }

  private static Path archive(String directory) {
    return made.resolve(directory).resolve("ramet-" + VERSION + ".tar.gz");
  }

  private static Path deb(String directory) {
    return made.resolve(directory).resolve("ramet_1.2.3~test_amd64.deb");
  }

  @Test
  void theSameLayoutGivesTheSameBytes() throws Exception {
    done(Map.of(), "../package", "" + LAYOUT, VERSION, "" + made.resolve("second"));
    assertArrayEquals(Files.readAllBytes(archive("first")), Files.readAllBytes(archive("second")));
    assertArrayEquals(Files.readAllBytes(deb("first")), Files.readAllBytes(deb("second")));
  }

  @Test
  void theArchiveRunsWhereItIsUnpacked() throws Exception {
    done(Map.of(), "tar", "-xzf", "" + archive("first"), "-C", "" + work);
    Path home = work.resolve("ramet-" + VERSION);
    Path program = home.resolve("bin/ramet");
    assertEquals(
        List.of("LICENSE", "bin", "conf", "lib", "plugins", "share"),
        done(Map.of(), "ls", "" + home).out().lines().sorted().toList());
    serve(program, Map.of());
    // A missing Java is reported, with the required version.
    Run none = run(Map.of("RAMET_JAVA_HOME", "/nowhere"), "" + program, "doctor");
    assertEquals(5, none.status());
    assertTrue(none.err().contains("holds no Java 17 or newer"), none.err());
  }

  /** The same steps as in a container: see {@link ContainerTest}. */
  @Test
  void nothingElseIsNeededForAMachine() throws Exception {
    Path template = FirstMachine.template(work);
    Path there = Files.createDirectory(work.resolve("there"));
    Run run =
        done(
            Map.of("FIRST_MACHINE_PORT", "" + freePort()),
            "" + FirstMachine.STEPS,
            "" + archive("first"),
            "" + template,
            "" + there);
    assertTrue(run.out().stripTrailing().endsWith(FirstMachine.DONE), run.out());
  }

  /** The container's recipe installs exactly the dependencies of the package. */
  @Test
  void theContainerHasWhatThePackageDependsOn() throws Exception {
    String recipe = Files.readString(FirstMachine.STEPS.resolveSibling("Dockerfile"));
    String list = recipe.substring(recipe.indexOf("recommends") + "recommends".length());
    List<String> installed =
        new ArrayList<>(List.of(list.replace("\\", " ").strip().split("\\s+", -1)));
    String control = Files.readString(Path.of("../src/deb/control"));
    String depends =
        control.lines().filter(line -> line.startsWith("Depends: ")).findFirst().orElseThrow();
    for (String one : depends.substring("Depends: ".length()).split(", ", -1)) {
      assertTrue(
          installed.removeAll(List.of(one.split(" \\| ", -1))), () -> one + " is not in " + list);
    }
    assertEquals(List.of(), installed);
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @Test
  void thePackageInstallsRunsAndGoes() throws Exception {
    Path root = work.resolve("root");
    for (String directory : new String[] {"info", "updates", "triggers"}) {
      Files.createDirectories(root.resolve("var/lib/dpkg").resolve(directory));
    }
    Files.createFile(root.resolve("var/lib/dpkg/status"));
    // Its dependencies come from this machine; its scripts act on the directory.
    List<String> dpkg =
        List.of(
            "dpkg",
            "--root=" + root,
            "--log=" + work.resolve("dpkg.log"),
            "--force-depends,script-chrootless,not-root");
    done(Map.of(), with(dpkg, "-i", "" + deb("first")));
    Path home = root.resolve("usr/lib/ramet");
    try (Stream<Path> archives = Files.list(home.resolve("lib/archives"))) {
      assertTrue(archives.count() >= 2, "start-up archives are made");
    }
    Path manual = root.resolve("usr/share/man/man1/ramet-sandbox-create.1.gz");
    assertTrue(Files.size(manual) > 0, "each command has a manual page");
    Path settings = root.resolve("etc/ramet/ramet.yaml");
    assertFalse(Files.exists(home.resolve("conf")), "this host has one file of settings");
    serve(root.resolve("usr/bin/ramet"), Map.of("RAMET_CONFIG", settings.toString()));

    // An operator's change survives the installation of a newer package.
    Files.writeString(settings, "ramet:\n  port: 4321\n");
    Path data = Files.createDirectories(root.resolve("var/lib/ramet"));
    Path cache = Files.createDirectories(root.resolve("var/cache/ramet/packages"));
    // The installation succeeds even if no start-up archives can be made.
    Run again =
        done(
            Map.of("RAMET_JAVA_HOME", "/nowhere"),
            with(dpkg, "--force-confold", "-i", "" + deb("first")));
    assertTrue(again.out().contains("cannot make start-up archives"), again.out());
    assertFalse(Files.exists(home.resolve("lib/archives")), "those of the old files are gone");
    assertTrue(Files.readString(settings).contains("4321"));
    done(Map.of(), with(dpkg, "-r", "ramet"));
    assertFalse(Files.exists(home.resolve("lib")), "what was made at the installation is gone");
    assertTrue(Files.exists(settings));
    assertTrue(Files.exists(cache), "a package that comes again finds its downloads");
    done(Map.of(), with(dpkg, "-P", "ramet"));
    assertFalse(Files.exists(settings.getParent()));
    assertFalse(Files.exists(home));
    assertFalse(Files.exists(cache.getParent()));
    assertTrue(Files.exists(data), "nobody's data is taken away");
  }

  @Test
  void systemdTakesTheUnit() throws Exception {
    Path unit = work.resolve("ramet.service");
    String text = Files.readString(LAYOUT.resolve("share/systemd/ramet.service"));
    for (String line :
        List.of("KillMode=process", "Delegate=yes", "OOMPolicy=continue", "NoNewPrivileges=yes")) {
      assertTrue(text.contains("\n" + line + "\n"), line);
    }
    // Each of these would hide the pool from the machine; the unit explains it.
    for (String line : text.lines().filter(one -> !one.startsWith("#")).toList()) {
      assertFalse(
          line.matches("(Protect(System|Home|Kernel|Control).*|Private.*|.*Paths)=.*"), line);
    }
    if (Files.exists(Path.of("/usr/bin/systemd-analyze"))) {
      Files.writeString(unit, text.replace("/opt/ramet/", LAYOUT.toRealPath() + "/"));
      Run run = run(Map.of(), "systemd-analyze", "verify", "--man=no", "" + unit);
      assertEquals("", run.err());
      assertEquals(0, run.status());
    }
  }

  /** Starts a host, sends it a request, and stops it. */
  private void serve(Path program, Map<String, String> environment) throws Exception {
    int port = freePort();
    Path data = work.resolve("data");
    Path log = work.resolve("log");
    ProcessBuilder builder =
        scrubbed(
            environment,
            List.of(
                program.toString(),
                "serve",
                "--port",
                "" + port,
                "--data-root",
                data.toString(),
                "--set",
                "ramet.storage-provision=OFF"));
    Process host = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      Run doctor;
      do {
        Thread.sleep(100);
        assertTrue(host.isAlive(), () -> "the host ended: " + read(log));
        doctor =
            run(
                environment,
                program.toString(),
                "doctor",
                "--json",
                "--server",
                "http://127.0.0.1:" + port);
      } while (doctor.status() == 6);
      assertTrue(doctor.status() < 2, doctor.out() + doctor.err());
      assertTrue(doctor.out().contains("\"qemu\""), doctor.out());
    } finally {
      host.destroy();
      if (!host.waitFor(60, TimeUnit.SECONDS)) {
        host.destroyForcibly();
      }
    }
    assertEquals(143, host.exitValue(), read(log));
  }

  private record Run(int status, String out, String err) {}

  private static String[] with(List<String> command, String... more) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static Run done(Map<String, String> environment, String... command) throws Exception {
    Run run = run(environment, command);
    assertEquals(0, run.status(), () -> String.join(" ", command) + ": " + run.out() + run.err());
    return run;
  }

  private static Run run(Map<String, String> environment, String... command) throws Exception {
    Path out = Files.createTempFile(made, "out", "");
    Path err = Files.createTempFile(made, "err", "");
    Process process =
        scrubbed(environment, List.of(command))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    if (!process.waitFor(200, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    return new Run(process.waitFor(), read(out), read(err));
  }

  private static ProcessBuilder scrubbed(Map<String, String> environment, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    Map<String, String> all = new HashMap<>(environment);
    all.put("PATH", SYSTEM);
    builder.environment().putAll(all);
    return builder;
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), UTF_8);
    } catch (IOException e) {
      return "" + e;
    }
  }
}
