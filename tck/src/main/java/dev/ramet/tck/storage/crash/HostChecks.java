// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.PAGE;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.storage.HostControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Requirement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Checks a host whose file system is full, read-only or not accessible, and checks that probing
 * leaves no trace.
 */
public abstract class HostChecks {
  /** Called by the kit. */
  protected HostChecks() {}

  private static final int LARGE_PAGES = 2048;

  public abstract World world();

  private HostControl host(String feature) {
    var host = world().harness().host();
    Requirement.of(feature, host.isPresent(), "the harness has no power over its host");
    return host.orElseThrow();
  }

  @Test
  void probingLeavesTheRootAsItWas() throws Exception {
    world().volume(V, '1');
    Path mine = world().harness().root().resolve("somebody-elses");
    Files.writeString(mine, "content");
    String traces = world().harness().traces();
    var state = world().state();
    for (int i = 0; i < 3; i++) {
      assertInstanceOf(
          ProbeResult.Usable.class,
          world().harness().provider().probe(world().harness().context()),
          "a root stays usable while it is open");
    }
    assertEquals(traces, world().harness().traces(), "a probe must remove all that it made");
    assertEquals(state, world().state(), "a probe must not touch a node");
    assertEquals("content", Files.readString(mine), "a probe must not touch other files");
    Files.delete(mine);
  }

  @Test
  void aRootThatIsNotThereIsUnusableWithARemedy() {
    ProbeResult result =
        world()
            .harness()
            .provider()
            .probe(new ProbeContext(world().scratch().resolve("not-there")));
    if (!(result instanceof ProbeResult.Unusable unusable)) {
      throw new AssertionError(
          "an absent directory is no defect and not usable: answer Unusable, not " + result);
    }
    assertFalse(unusable.reason().isBlank() || unusable.detail().isBlank(), unusable::toString);
    assertFalse(unusable.remedy().isBlank(), "an operator needs a remedy");
    assertFalse(Files.exists(world().scratch().resolve("not-there")), "a probe makes no root");
  }

  @Test
  void aFullDiskLeavesNothingHalfMade() throws Exception {
    HostControl host = host("tck-full-disk");
    FullDisk disk = new FullDisk(world());
    StorageBackend backend = world().backend();
    backend.create(V, (long) LARGE_PAGES * PAGE);
    byte[] content = new byte[LARGE_PAGES * PAGE];
    new Random(1).nextBytes(content);
    world().write(V, 0, content);
    backend.flush(V);
    backend.snapshot(V, S, Durability.DURABLE);
    backend.fork(S, F, Durability.DURABLE);
    var before = world().state();
    byte[] more = new byte[24 << 20];
    new Random(3).nextBytes(more);
    Path image = Files.write(world().scratch().resolve("image"), more);
    int made = 0;
    for (long keep : new long[] {4 << 20, 0}) {
      host.fill(keep);
      for (Durability durability : Durability.values()) {
        NodeId snapshot = NodeId.of("n" + made++);
        NodeId fork = NodeId.of("n" + made++);
        disk.doneOrRefused("a snapshot", () -> backend.snapshot(V, snapshot, durability));
        disk.doneOrRefused("a fork", () -> backend.fork(S, fork, durability));
      }
      NodeId imported = NodeId.of("n" + made++);
      assertFalse(
          disk.doneOrRefused("an import", () -> backend.importFrom(imported, image)),
          "an import of more than there is room for must fail");
      NodeId created = NodeId.of("n" + made++);
      disk.doneOrRefused("create", () -> backend.create(created, SIZE));
      if (backend instanceof Growable growable) {
        long size = backend.find(F).orElseThrow().sizeBytes() + SIZE;
        disk.doneOrRefused("grow", () -> growable.grow(F, size));
      }
    }
    var full = world().state();
    assertEquals(before.get(V), full.get(V), "a full disk must not damage a node");
    assertEquals(before.get(S), full.get(S), "a full disk must not damage a node");
    disk.overwrite(F, content);
    var after = world().state();
    full.remove(F);
    after.remove(F);
    assertEquals(full, after, "a write that finds no space must not damage others");
    disk.doneOrRefused("seal", () -> backend.seal(V, Durability.DURABLE));
    for (Node node : backend.list()) {
      if (!node.id().equals(S)) {
        backend.delete(node.id());
      }
    }
    host.unfill();
    world().reopen();
    assertEquals(List.of(S), world().backend().list().stream().map(Node::id).toList());
    world().backend().fork(S, F, Durability.DURABLE);
    assertEquals(content[17 * PAGE], (byte) world().read(F, 17));
    world().deleteAll("after the disk was full");
  }

  /** Otherwise nobody could delete the data that fills it. */
  @Test
  void aFullDiskKeepsNobodyFromOpeningAndDeleting() throws Exception {
    HostControl host = host("tck-full-disk");
    world().volume(V, '1');
    world().backend().snapshot(V, S, Durability.DURABLE);
    world().backend().flush(V);
    var before = world().state();
    host.fill(0);
    ProbeResult result = world().harness().provider().probe(world().harness().context());
    assertTrue(
        result instanceof ProbeResult.Usable
            || (result instanceof ProbeResult.Unusable unusable && unusable.noRoom()),
        () -> "a full disk is no defect: answer Unusable with noRoom, not " + result);
    world().reopen();
    assertEquals(before, world().state(), "opening a root on a full disk");
    world().backend().delete(V);
    world().reopen();
    assertEquals(List.of(S), world().backend().list().stream().map(Node::id).toList());
    host.unfill();
    assertInstanceOf(
        ProbeResult.Usable.class,
        world().harness().provider().probe(world().harness().context()),
        "usable again when there is room");
    world().deleteAll("after a reopening on a full disk");
  }

  @Test
  void aReadOnlyHostIsTheHostsFault() throws Exception {
    HostControl host = host("tck-read-only");
    StorageBackend backend = world().backend();
    world().volume(V, '1');
    backend.snapshot(V, S, Durability.DURABLE);
    backend.flush(V);
    var before = world().state();
    host.readOnly(true);
    try {
      for (RametException e :
          List.of(
              unfit("create", () -> backend.create(F, SIZE)),
              unfit("snapshot", () -> backend.snapshot(V, F, Durability.RELAXED)),
              unfit("fork", () -> backend.fork(S, F, Durability.RELAXED)),
              unfit("delete", () -> backend.delete(S)),
              unfit("seal", () -> backend.seal(V, Durability.RELAXED)))) {
        assertNotNull(e.remedy(), "a read-only host: say what to do about it");
      }
      assertEquals(before, world().state(), "what cannot be written can still be read");
      assertInstanceOf(
          ProbeResult.Unusable.class,
          world().harness().provider().probe(world().harness().context()),
          "a read-only root is unusable, which is no defect");
    } finally {
      host.readOnly(false);
    }
    assertEquals(before, world().state());
    backend.delete(S);
    world().deleteAll("after the host was read-only");
  }

  private RametException unfit(String what, Runnable call) {
    return world().refusedWithoutTrace(ErrorCode.HOST_UNFIT, what + " on a read-only host", call);
  }

  /**
   * The root belongs to another owner, and is opened by a process that cannot bypass permissions:
   * root without those capabilities, or the user who runs this test.
   */
  @Test
  void aRootOfAnotherOwnerIsRefusedWithARemedy() throws Exception {
    if (!world().harness().outlivesProcess()) {
      return;
    }
    boolean root = "root".equals(System.getProperty("user.name"));
    Requirement.of("root", root, "giving a directory to another owner takes root");
    world().volume(V, '1');
    world().backend().close();
    Path place = world().harness().root();
    var owner = Files.getOwner(place);
    var permissions = Files.getPosixFilePermissions(place);
    List<String> powerless =
        List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner,-chown");
    try {
      Files.setAttribute(place, "unix:uid", 65534);
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("r-xr-xr-x"));
      assertEquals("unusable with a remedy", ChildProcess.ask(world(), powerless, "probe"));
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("--------x"));
      assertEquals("unusable with a remedy", ChildProcess.ask(world(), powerless, "probe"));
      Path volumes = place.resolve("volumes");
      if (Files.isDirectory(volumes)) {
        Files.setAttribute(volumes, "unix:uid", 65534);
        String answer = ChildProcess.ask(world(), powerless, "open");
        assertTrue(
            answer.equals(ErrorCode.HOST_UNFIT + " with a remedy"),
            () -> "opening a root of another owner must fail with HOST_UNFIT, not: " + answer);
        Files.setAttribute(volumes, "unix:uid", 0);
      }
    } finally {
      Files.setOwner(place, owner);
      Files.setPosixFilePermissions(place, permissions);
    }
    world().use(world().open());
    assertEquals('1', world().read(V, 3));
  }
}
