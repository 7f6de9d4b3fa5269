// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.Service;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.root.ProvisioningStatus;
import dev.ramet.spi.storage.root.RootExamination;
import dev.ramet.spi.storage.root.StorageProvisioner;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Checks that broken probes, examinations and provisioners are errors. */
final class GuardProbesTest extends GuardGround {
  private static final StorageFacts FACTS = StorageFacts.copying(Set.of());

  @Test
  void aBrokenProbeIsAFailure() {
    for (Faults.Kind kind : KINDS) {
      StorageBackendProvider real = Faults.of(StorageBackendProvider.class, kind);
      GuardedProvider<?> provider =
          GuardedProvider.wrap(
              new Service.Found(
                  Service.ALL.get(0), "acme", real, FACTS, new Origin("acme", "", "", "", "")));
      ProbeResult result = provider.probe(new ProbeContext(Path.of("/")));
      assertInstanceOf(ProbeResult.Failed.class, result);
      assertThrows(
          RametException.class, () -> provider.open(new ProbeContext(Path.of("/"))).close());
      assertEquals("acme", provider.id());
    }
  }

  /** A storage provider with the given result of an examination. */
  private record Examining(Supplier<StorageBackend> answer)
      implements StorageBackendProvider, RootExamination {
    @Override
    public String id() {
      return "acme";
    }

    @Override
    public StorageFacts atBest() {
      return FACTS;
    }

    @Override
    public ProbeResult probe(ProbeContext where) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public StorageBackend open(ProbeContext where) {
      throw new AssertionError("nobody asks");
    }

    @Override
    public StorageBackend examine(ProbeContext where) {
      return answer.get();
    }
  }

  private static RootExamination examination(StorageBackendProvider real) {
    return assertInstanceOf(
        RootExamination.class,
        GuardedProvider.wrap(
            new Service.Found(
                Service.ALL.get(0), "acme", real, FACTS, new Origin("acme", "", "", "", ""))));
  }

  @Test
  void aBrokenExaminationIsAnError() {
    ProbeContext where = new ProbeContext(Path.of("/"));
    List<Supplier<StorageBackend>> broken =
        List.of(
            () -> null,
            () -> {
              throw new IllegalStateException("broken");
            },
            // This backend cannot be inspected.
            () -> Faults.answering(StorageBackend.class, Map.of()));
    for (Supplier<StorageBackend> answer : broken) {
      RootExamination examination = examination(new Examining(answer));
      RametException e = assertThrows(RametException.class, () -> examination.examine(where));
      assertTrue(e.toString().contains("acme"), e.getMessage());
    }
    RootExamination without =
        examination(Faults.of(StorageBackendProvider.class, Faults.Kind.NULL));
    RametException e = assertThrows(RametException.class, () -> without.examine(where));
    assertEquals(ErrorCode.UNSUPPORTED, e.code());
  }

  @Test
  void aBrokenProvisionerMakesNothing() {
    for (Faults.Kind kind : KINDS) {
      StorageProvisioner provisioner =
          new GuardedProvisioner(Faults.of(StorageProvisioner.class, kind), Faults.guard(), "acme");
      if (kind != Faults.Kind.KNOWN) {
        assertEquals(ProvisioningStatus.State.IMPOSSIBLE, provisioner.status(Path.of("/")).state());
      }
      assertThrows(RametException.class, () -> provisioner.provision(Path.of("/"), null));
      if (kind != Faults.Kind.NULL) {
        assertThrows(RametException.class, () -> provisioner.remove(Path.of("/")));
      }
      assertThrows(RametException.class, provisioner::backendId);
    }
  }
}
