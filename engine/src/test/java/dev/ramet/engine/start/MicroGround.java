// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.Progress;
import dev.ramet.engine.machine.HostNetwork;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.templates.ImportTemplate;
import dev.ramet.pluginhost.Plugins;
import dev.ramet.spi.Provider;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.settings.Settings;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.tck.reference.micro.DirtyLogModeProvider;
import dev.ramet.tck.reference.micro.MicroProvider;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An engine on the reference hypervisor that is unlike QEMU, which it learns to know by its facts
 * alone. Closing it ends all machines.
 */
final class MicroGround implements AutoCloseable {
  static final long MEMORY_BYTES = 64L << 20;

  final Path root;
  final FakeTaps taps;

  /** The steps of all operations, in order. */
  final List<String> steps = new CopyOnWriteArrayList<>();

  Engine engine;

  MicroGround(Path root) throws IOException {
    this.root = root.toRealPath();
    this.taps = new FakeTaps(root.resolve("netns"));
    this.engine = open(List.of(taps));
  }

  /** Opens the engine with some networks; not more than one at a time. */
  Engine open(List<HostNetwork> networks) {
    Settings settings =
        Settings.of(
            Map.of(
                "ramet.data-root", root.resolve("data").toString(),
                "ramet.agent-timeout", "20s",
                "ramet.storage-backend", "byte-copy"));
    List<Provider<?>> providers = new ArrayList<>();
    providers.add(new MicroProvider());
    providers.add(new DirtyLogModeProvider());
    providers.addAll(provided(StorageBackendProvider.class));
    providers.addAll(provided(MemoryModeProvider.class));
    return EngineAssembly.open(
        new EngineConfig(settings, steps::add),
        new PluginHost(Plugins.providers(providers)),
        networks);
  }

  private static <P> List<P> provided(Class<P> service) {
    MicroGround.class.getModule().addUses(service);
    return ServiceLoader.load(ModuleLayer.boot(), service).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /** Makes a template of a kernel of this content. */
  void template(String name, byte[] kernel, boolean cold) throws IOException {
    Path file = Files.write(root.resolve(name + ".kernel"), kernel);
    Path disk = root.resolve(name + ".disk");
    try (RandomAccessFile image = new RandomAccessFile(disk.toFile(), "rw")) {
      image.setLength(1 << 20);
      image.writeBytes(name);
    }
    engine
        .templates()
        .importImages(
            new ImportTemplate(name, file, disk, null, null, 1, MEMORY_BYTES, cold), Progress.NONE);
  }

  Sandbox create(String from, boolean outbound, @Nullable String memoryMode) {
    return engine
        .sandboxes()
        .create(NewSandbox.of(from).outbound(outbound).memoryMode(memoryMode).build());
  }

  MicroGuest guest(String sandboxId) {
    return new MicroGuest(
        Objects.requireNonNull(engine.sandboxes().get(sandboxId).hypervisorPid()));
  }

  /** Waits until the guest counts. */
  void awaitCounting(MicroGuest guest) throws IOException, InterruptedException {
    long before = guest.read(0);
    long end = System.nanoTime() + 20_000_000_000L;
    while (guest.read(0) == before) {
      assertTrue(System.nanoTime() < end, "the guest does not count");
      Thread.sleep(1);
    }
  }

  @Override
  public void close() {
    try {
      engine.sandboxes().list().forEach(one -> engine.sandboxes().kill(one.id()));
    } finally {
      engine.close();
    }
  }
}
