// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.probe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.hypervisors.qemu.QemuProvider;
import dev.ramet.hypervisors.qemu.program.Accelerator;
import dev.ramet.hypervisors.qemu.vm.Bench;
import dev.ramet.hypervisors.qemu.vm.Host;
import dev.ramet.hypervisors.qemu.vm.QemuHypervisor;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the probe and the opening of the driver. */
class ProbeTest {
  private final Path root;

  ProbeTest(@TempDir Path root) {
    this.root = root;
  }

  private ProbeContext context(Map<String, String> settings) {
    return new ProbeContext(root, Settings.of(settings).with(Probe.BINARY, Host.qemu()));
  }

  @Test
  void isAServiceOfItsModule() {
    assertTrue(
        QemuProvider.class.getModule().getDescriptor().provides().stream()
            .anyMatch(
                p ->
                    p.service().equals(HypervisorProvider.class.getName())
                        && p.providers().contains(QemuProvider.class.getName())));
  }

  @Test
  void findsAWorkingQemuAndLeavesNoTrace() throws Exception {
    QemuProvider provider = new QemuProvider();
    ProbeContext where = context(Map.of());
    ProbeResult result = provider.probe(where);
    ProbeResult.Usable usable =
        assertInstanceOf(ProbeResult.Usable.class, result, result::toString);
    HypervisorFacts facts = assertInstanceOf(HypervisorFacts.class, usable.facts());
    String accelerator = usable.evidence().get("accelerator");
    assertEquals(
        Set.of(
            "disk-write-log",
            "disk-writes",
            "generation-id",
            "guest-secret",
            "reattach",
            "reboot-after-restore",
            "restore",
            "stops-on-disk-error",
            "user-network",
            accelerator),
        facts.names());
    assertEquals("kvm".equals(accelerator), facts.hardware());
    assertEquals(Set.of("accelerator", "machine", "version"), facts.stateNeeds().keySet());
    assertTrue(usable.evidence().containsKey("kvm"), usable.evidence()::toString);
    assertEquals(Set.of(), RestoreTest.names(root));
    try (Hypervisor open = provider.open(where)) {
      assertInstanceOf(QemuHypervisor.class, open);
    }
  }

  /**
   * On a host with any kind of KVM, forcing an accelerator either works or says why it does not.
   */
  @Test
  void aForcedAcceleratorIsUsedOrRefused() {
    QemuProvider provider = new QemuProvider();
    ProbeResult kvm = provider.probe(context(Map.of("ramet.accelerator", "kvm")));
    if (kvm instanceof ProbeResult.Usable usable) {
      assertEquals("kvm", usable.evidence().get("accelerator"));
    } else {
      ProbeResult.Unusable no = assertInstanceOf(ProbeResult.Unusable.class, kvm);
      assertTrue(!no.detail().isEmpty() && !no.remedy().isEmpty(), no::toString);
    }
    ProbeResult tcg = provider.probe(context(Map.of("ramet.accelerator", "tcg")));
    assertEquals(
        "tcg",
        assertInstanceOf(ProbeResult.Usable.class, tcg, tcg::toString)
            .evidence()
            .get("accelerator"));
    ProbeResult odd = provider.probe(context(Map.of("ramet.accelerator", "hvf")));
    assertInstanceOf(ProbeResult.Unusable.class, odd);
  }

  @Test
  void aMissingProgramIsUnusableAndCannotBeOpened() {
    QemuProvider provider = new QemuProvider();
    ProbeContext where = new ProbeContext(root, Settings.of(Map.of("binary", "/nowhere/qemu")));
    assertInstanceOf(ProbeResult.Unusable.class, provider.probe(where));
    RametException e = assertThrows(RametException.class, () -> provider.open(where));
    assertEquals(ErrorCode.HOST_UNFIT, e.code());
  }

  @Test
  void theTestGuestPassesUnderTheEmulator() throws Exception {
    assertEquals(Optional.empty(), ProbeGuest.run(Host.qemu(), Accelerator.TCG, root));
  }

  @Test
  void theCommittedGuestsAreTheirSources() throws Exception {
    Host.needs("as", "as");
    assemble("src/main/asm/probe.S", "0xffc00", ProbeGuest.bytes());
    try (var in = Bench.class.getResourceAsStream("counter.bin")) {
      assemble("src/test/asm/counter.S", "0x100000", Objects.requireNonNull(in).readAllBytes());
    }
  }

  private void assemble(String source, String address, byte[] expected) throws Exception {
    Path out = root.resolve("out");
    Process process =
        new ProcessBuilder("src/main/asm/assemble.sh", source, address, out.toString())
            .inheritIO()
            .start();
    assertEquals(0, process.waitFor());
    assertArrayEquals(expected, Files.readAllBytes(out), source);
    Files.delete(out);
  }
}
