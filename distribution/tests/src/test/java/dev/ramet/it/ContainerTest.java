// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.ToStringConsumer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * Runs the archive in a container that has the package's dependencies and nothing else. Without a
 * container engine this tests only that {@code target/no-container} says why; that fails where
 * {@code RAMET_REQUIRE} names {@code container}.
 */
final class ContainerTest {
  private static final Path WHY_NOT = Path.of("target/no-container");
  private static final Path SOCKET = Path.of("/var/run/docker.sock");
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @TempDir private Path work;

  @TestFactory
  Stream<DynamicTest> theArchiveRunsAMachineInACleanContainer() throws Exception {
    Files.deleteIfExists(WHY_NOT);
    String whyNot = whyNoEngine();
    if (whyNot == null) {
      return Stream.of(DynamicTest.dynamicTest("in a clean container", this::runInContainer));
    }
    Files.writeString(WHY_NOT, whyNot);
    return Stream.of(DynamicTest.dynamicTest("no engine, and it says why", () -> lacks(whyNot)));
  }

  private static void lacks(String whyNot) {
    assertFalse(whyNot.isBlank(), "whoever finds no engine says why");
    String required = Objects.requireNonNullElse(System.getenv("RAMET_REQUIRE"), "");
    assertFalse(Arrays.asList(required.split(",", -1)).contains("container"), whyNot);
  }

  /** Returns why there is no container engine; null if there is one. */
  private static @Nullable String whyNoEngine() {
    try {
      DockerClientFactory.instance().client();
      return null;
    } catch (RuntimeException | LinkageError e) {
      String host = System.getenv("DOCKER_HOST");
      String socket = Files.exists(SOCKET) ? " is there" : " is not there";
      return String.valueOf(e.getMessage()).lines().findFirst().orElse("")
          + "; DOCKER_HOST is "
          + (host == null ? "not set" : host)
          + ", "
          + SOCKET
          + socket
          + "\n";
    }
  }

  private void runInContainer() throws Exception {
    Path template = FirstMachine.template(work);
    Path archive = FirstMachine.archive(work);
    ToStringConsumer said = new ToStringConsumer();
    try (GenericContainer<?> container = container()) {
      container
          .withNetworkMode("none")
          .withCopyFileToContainer(
              MountableFile.forHostPath(FirstMachine.STEPS, 0755), "/in/first-machine")
          .withCopyFileToContainer(MountableFile.forHostPath(archive), "/in/ramet.tar.gz")
          .withCopyFileToContainer(MountableFile.forHostPath(template), "/in/template.tar.gz")
          .withCommand(
              "sh",
              "-c",
              "mkdir /work && exec /in/first-machine /in/ramet.tar.gz /in/template.tar.gz /work")
          .withLogConsumer(said)
          .withStartupCheckStrategy(new OneShotStartupCheckStrategy().withTimeout(PATIENCE))
          .start();
      String all = container.getLogs();
      assertTrue(all.stripTrailing().endsWith(FirstMachine.DONE), all);
    } catch (RuntimeException e) {
      throw new AssertionError("the container ended badly: " + said.toUtf8String(), e);
    }
  }

  /**
   * Returns a Debian container with the package's dependencies, or the image that {@code
   * RAMET_TEST_IMAGE} names, for engines that cannot reach Debian's packages.
   */
  private static GenericContainer<?> container() {
    String image = System.getenv("RAMET_TEST_IMAGE");
    return image == null
        ? new GenericContainer<>(
            new ImageFromDockerfile("ramet-test", false)
                .withFileFromPath("Dockerfile", FirstMachine.STEPS.resolveSibling("Dockerfile")))
        : new GenericContainer<>(DockerImageName.parse(image));
  }
}
