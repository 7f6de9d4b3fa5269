// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.engine.state.Layout;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorFeature;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.storage.Attachment.Kind;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which hypervisors are selected for the images of a data root. */
class StorageFitTest {
  private static final StorageFacts LOCAL = StorageFacts.copying(Set.of());
  private static final StorageFacts REMOTE =
      StorageFacts.copying(Set.of(StorageFeature.REMOTE_IMAGES)).attaching(Kind.NBD);
  private static final HypervisorFacts PLAIN = facts(Set.of(), Kind.FILE, Kind.BLOCK_DEVICE);
  private static final HypervisorFacts NBD = facts(Set.of(), Kind.FILE, Kind.NBD);
  private static final HypervisorFacts FAULTS =
      facts(Set.of(HypervisorFeature.FAULT_HANDLER), Kind.FILE, Kind.NBD);

  private static HypervisorFacts facts(Set<HypervisorFeature> features, Kind... kinds) {
    return new HypervisorFacts(
        true,
        features,
        new HypervisorFacts.Accepts(
            Set.of(NetworkPlan.Kind.USER), Set.of(KernelFormat.BZIMAGE), Set.of(kinds)),
        new HypervisorFacts.Saves(true, Set.of(Access.READ)),
        new HypervisorFacts.Restores(Map.of(), false, true, HypervisorFacts.Clock.SAVED),
        Set.of());
  }

  private record Driver(HypervisorFacts atBest) implements HypervisorProvider {
    @Override
    public String id() {
      return "driver";
    }

    @Override
    public ProbeResult probe(ProbeContext where) {
      return new ProbeResult.Usable(atBest, Map.of());
    }

    @Override
    public Hypervisor open(ProbeContext where) {
      throw new AssertionError("no plugin is opened to see whether it fits");
    }
  }

  private record Backend(StorageFacts atBest) implements StorageBackendProvider {
    @Override
    public String id() {
      return "backend";
    }

    @Override
    public ProbeResult probe(ProbeContext where) {
      return new ProbeResult.Usable(atBest, Map.of());
    }

    @Override
    public StorageBackend open(ProbeContext where) {
      throw new AssertionError("no plugin is opened to see whether it fits");
    }
  }

  private static ProbedProvider probed(PluginKind role, Provider<?> provider, Facts facts) {
    return new ProbedProvider(role, provider, new ProbeResult.Usable(facts, Map.of()), 1);
  }

  private static RootOpener.Root root(PluginKind role, StorageFacts facts) {
    Backend backend = new Backend(facts);
    return new RootOpener.Root(
        role,
        new Layout(Path.of("/root")),
        null,
        backend,
        List.of(probed(role, backend, facts)),
        new Selection(role.label(), "/root", "backend", "the only one"),
        null);
  }

  /** Returns the remedy, or empty if the hypervisor is used. */
  private static String remedy(
      HypervisorFacts hypervisor, StorageFacts disks, @Nullable StorageFacts memory) {
    DataRoots roots =
        new DataRoots(
            root(PluginKind.STORAGE, disks),
            memory == null ? null : root(PluginKind.MEMORY_STORAGE, memory));
    ProbedProvider before = probed(PluginKind.HYPERVISOR, new Driver(hypervisor), hypervisor);
    ProbedProvider after = StorageFit.checked(before, roots);
    if (after.usable()) {
      assertSame(before, after);
      return "";
    }
    ProbeResult.Unusable why = assertInstanceOf(ProbeResult.Unusable.class, after.result());
    assertTrue(why.detail().contains("/root"), why::detail);
    return why.reason() + "; " + why.remedy();
  }

  @Test
  void localImagesFitEveryone() {
    assertEquals("", remedy(PLAIN, LOCAL, null));
    assertEquals("", remedy(PLAIN, LOCAL, LOCAL));
    assertEquals("", remedy(FAULTS, LOCAL.attaching(Kind.FILE), null));
  }

  @Test
  void disksMustBeTaken() {
    assertTrue(
        remedy(PLAIN, REMOTE, LOCAL)
            .startsWith("it takes no disks by nbd; use a hypervisor that takes nbd"));
    assertEquals("", remedy(NBD, REMOTE, LOCAL));
    assertTrue(
        remedy(NBD, LOCAL.attaching(Kind.BLOCK_DEVICE), null).contains("takes block-device"));
  }

  @Test
  void memoryMustBeMappedOrFilled() {
    for (StorageFacts memory : new StorageFacts[] {null, REMOTE}) {
      StorageFacts disks = memory == null ? REMOTE : LOCAL;
      assertTrue(remedy(NBD, disks, memory).startsWith("it cannot map memory images by nbd"));
      assertTrue(remedy(NBD, disks, memory).contains("states fault-handler"));
      assertEquals("", remedy(FAULTS, disks, memory));
    }
    // A socket alone is no fault handler.
    assertTrue(remedy(FAULTS, LOCAL, LOCAL.attaching(Kind.NBD)).startsWith("it cannot map memory"));
  }
}
