// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.Manifests;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the secrets by which a host proves itself, and where they are stored. */
class HostProofTest {
  private static final HostSecret SECRET = HostSecret.random();

  @TempDir Path scratch = Path.of("");

  private static SnapshotRecord source(
      boolean warm, @Nullable Integer agentPort, @Nullable HostSecret secret) {
    return SnapshotRecord.builder()
        .id("s0123456789abcdefghi")
        .kind(SnapshotRecord.Kind.SNAPSHOT)
        .tags(Map.of())
        .createdAt(Instant.EPOCH)
        .cpuCount(1)
        .memoryBytes(1 << 20)
        .diskBytes(1 << 20)
        .kernelArguments("")
        .agentPort(agentPort)
        .warm(warm)
        .deleted(false)
        .pending(false)
        .hostSecret(secret)
        .build();
  }

  @Test
  void aBootedMachineHasItsSecretFromTheStart() {
    HostProof proof = HostProof.forMachine(source(false, 1, null), false, true);
    assertNotNull(proof.own());
    assertEquals(proof.own(), proof.shown());
    assertNotEquals(proof.own(), HostProof.forMachine(source(false, 1, null), false, true).own());
  }

  @Test
  void aRestoredMachineReplacesItsSnapshotsSecret() {
    HostProof proof = HostProof.forMachine(source(true, 1, SECRET), true, true);
    assertEquals(SECRET, proof.shown());
    assertNotNull(proof.own());
    assertNotEquals(SECRET, proof.own());
    // Its agent accepts a new secret, even if the hypervisor cannot hand it over after a reboot.
    assertNotNull(HostProof.forMachine(source(true, 1, SECRET), true, false).own());
  }

  @Test
  void aBootFromASnapshotKnowsNothingOfItsMemory() {
    HostProof proof = HostProof.forMachine(source(true, 1, SECRET), false, true);
    assertNotEquals(SECRET, proof.shown());
    assertEquals(proof.own(), proof.shown());
  }

  @Test
  void agentsThatKnowNoSecretAreGivenNone() {
    assertSame(HostProof.NONE, HostProof.forMachine(source(true, 1, null), true, true));
    assertSame(HostProof.NONE, HostProof.forMachine(source(false, 1, null), false, false));
    assertSame(HostProof.NONE, HostProof.forMachine(source(false, null, null), false, true));
  }

  @Test
  void whatIsHandedOverIsAsLongWhateverItIs() throws IOException {
    String with = HostProof.handedOver(SECRET, "token").text();
    String without = HostProof.handedOver(SECRET, null).text();
    assertEquals(with.length(), without.length());
    JsonNode told = JsonFile.tree(with);
    assertEquals(SECRET.value(), told.path("hostSecret").asText());
    assertEquals("token", told.path("accessToken").asText());
    assertFalse(JsonFile.tree(without).has("accessToken"));
  }

  @Test
  void manifestsKeepItForTheirOwner() throws IOException {
    SnapshotRecord record = source(true, 1, SECRET);
    Path directory = Files.createDirectory(scratch.resolve(record.id()));
    Path manifest = directory.resolve(Layout.MANIFEST);
    JsonFile.write(manifest, record, JsonFile.Care.WHOLE);
    assertEquals(record, Manifests.snapshot(directory));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(manifest)));
    assertEquals(
        SECRET.value(),
        JsonFile.tree(Files.readString(manifest)).path("hostSecret").asText(),
        "a plain text, as access tokens are");
  }

  @Test
  void manifestsOfBeforeHaveNone() throws IOException {
    String text = new String(JsonFile.bytes(source(true, 1, null)), StandardCharsets.UTF_8);
    assertFalse(text.contains("hostSecret"));
    Path file = Files.writeString(scratch.resolve("old"), text);
    assertNull(JsonFile.read(file, SnapshotRecord.class).hostSecret());
  }

  @Test
  void nothingShowsIt() {
    SandboxRecord.Machine machine =
        SandboxRecord.Machine.builder()
            .number(1)
            .cpuCount(1)
            .memoryBytes(1 << 20)
            .kernelArguments("")
            .hasInitrd(false)
            .hostAddress("")
            .hostSecret(SECRET)
            .build();
    AgentAccess access = new AgentAccess("t0ken", SECRET.value());
    for (Object one :
        new Object[] {
          SECRET,
          machine,
          source(true, 1, SECRET),
          new HostProof(SECRET, SECRET),
          HostProof.handedOver(SECRET, "t0ken"),
          access
        }) {
      assertFalse(one.toString().contains(SECRET.value()), one.getClass().getName());
      assertFalse(one.toString().contains("t0ken"), one.getClass().getName());
    }
  }
}
