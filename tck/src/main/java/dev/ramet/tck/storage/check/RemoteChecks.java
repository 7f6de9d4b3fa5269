// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.check;

import static dev.ramet.tck.storage.World.F;
import static dev.ramet.tck.storage.World.S;
import static dev.ramet.tck.storage.World.SIZE;
import static dev.ramet.tck.storage.World.T;
import static dev.ramet.tck.storage.World.V;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.RemoteImages;
import dev.ramet.tck.storage.RemoteControl;
import dev.ramet.tck.storage.World;
import dev.ramet.tck.support.Requirement;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks the attachments, and images that are fetched when they are read. */
public abstract class RemoteChecks {
  /** Called by the kit. */
  protected RemoteChecks() {}

  /** Returns the world of the running check. */
  public abstract World world();

  /** Returns the capability, or null if the backend's images are local. */
  private @Nullable RemoteImages remote() {
    return world().backend() instanceof RemoteImages remote ? remote : null;
  }

  private RemoteControl control() {
    var control = world().harness().remote();
    Requirement.of(
        "tck-remote", control.isPresent(), "the harness does not control what is fetched");
    return control.orElseThrow();
  }

  /** Makes a volume with two pages of data and a snapshot of it. */
  private void snapshot() {
    world().volume(V, 7);
    world().write(V, 9, 8);
    world().backend().snapshot(V, S, Durability.DURABLE);
  }

  @Test
  void onlyTheStatedKindsAreHandedOut() {
    snapshot();
    world().backend().fork(S, F, Durability.DURABLE);
    Set<Attachment.Kind> stated = world().facts().attachments();
    assertTrue(!stated.isEmpty(), "the facts state no kind of attachment");
    for (NodeId id : List.of(V, S, F)) {
      Attachment attachment = world().backend().attach(id);
      assertTrue(
          stated.contains(attachment.kind()),
          () -> attachment + " is of a kind that the facts do not state: " + stated);
    }
  }

  @Test
  void whatWasForgottenIsFetchedWhenItIsRead() throws Exception {
    RemoteImages remote = remote();
    if (remote == null) {
      return;
    }
    snapshot();
    byte[] before = world().bytes(S, 0, (int) SIZE);
    control().forget(S);
    long none = remote.residentBytes(S);
    assertTrue(none < SIZE, () -> "all of it is still here: " + none);
    assertArrayEquals(
        Arrays.copyOfRange(before, 3 * World.PAGE, 4 * World.PAGE),
        world().bytes(S, 3 * World.PAGE, World.PAGE),
        "a page that has to be fetched was read as something else");
    long some = remote.residentBytes(S);
    assertTrue(some > none, "reading a page must be seen in residentBytes()");
    assertArrayEquals(before, world().bytes(S, 0, (int) SIZE));
    assertEquals(SIZE, remote.residentBytes(S), "all of it was read");
  }

  @Test
  void prefetchingBringsTheRangeHere() throws Exception {
    RemoteImages remote = remote();
    if (remote == null) {
      return;
    }
    snapshot();
    byte[] before = world().bytes(S, 0, (int) SIZE);
    control().forget(S);
    long none = remote.residentBytes(S);
    remote.prefetch(S, 0, 0);
    remote.prefetch(S, SIZE, World.PAGE);
    assertEquals(none, remote.residentBytes(S), "nothing was to be fetched");
    remote.prefetch(S, 9 * World.PAGE, World.PAGE);
    long some = remote.residentBytes(S);
    assertTrue(some >= none + World.PAGE, () -> "a page was prefetched: " + none + ", " + some);
    remote.prefetch(S, 9 * World.PAGE, World.PAGE);
    assertEquals(some, remote.residentBytes(S), "what is here is not counted twice");
    remote.prefetch(S, 0, Long.MAX_VALUE);
    assertEquals(SIZE, remote.residentBytes(S));
    assertArrayEquals(before, world().bytes(S, 0, (int) SIZE));
  }

  /** A copy has the same content, whether or not its source is here. */
  @Test
  void copiesOfWhatIsAway() throws Exception {
    if (remote() == null) {
      return;
    }
    snapshot();
    byte[] before = world().bytes(S, 0, (int) SIZE);
    control().forget(S);
    world().backend().fork(S, F, Durability.DURABLE);
    world().write(F, 5, 6);
    byte[] expected = before.clone();
    Arrays.fill(expected, 5 * World.PAGE, 6 * World.PAGE, (byte) 6);
    assertArrayEquals(expected, world().bytes(F, 0, (int) SIZE));
    assertArrayEquals(before, world().bytes(S, 0, (int) SIZE));
  }

  @Test
  void faultsAreFilledWithTheContent() throws Exception {
    RemoteImages remote = remote();
    if (remote == null) {
      return;
    }
    snapshot();
    byte[] before = world().bytes(S, 0, (int) SIZE);
    control().forget(S);
    MemorySource.FaultHandler handler = remote.attachMemory(S);
    assertTrue(handler.socket().isAbsolute(), "the path of the socket must be absolute");
    long none = remote.residentBytes(S);
    for (int at : new int[] {9 * World.PAGE, 0, 3 * World.PAGE}) {
      assertArrayEquals(
          Arrays.copyOfRange(before, at, at + World.PAGE),
          control().touch(handler, at),
          () -> "the page at " + at + " was filled with something else than its content");
    }
    assertTrue(remote.residentBytes(S) > none, "what a machine touched is here");
  }

  @Test
  void refusals() {
    RemoteImages remote = remote();
    if (remote == null) {
      return;
    }
    snapshot();
    World.refused(ErrorCode.CONFLICT, "memory of a volume", () -> remote.attachMemory(V));
    World.refused(ErrorCode.NOT_FOUND, "memory of nothing", () -> remote.attachMemory(T));
    World.refused(ErrorCode.NOT_FOUND, "prefetching nothing", () -> remote.prefetch(T, 0, 1));
    World.refused(ErrorCode.NOT_FOUND, "residence of nothing", () -> remote.residentBytes(T));
    World.refused(ErrorCode.INVALID_ARGUMENT, "a negative offset", () -> remote.prefetch(S, -1, 1));
    World.refused(ErrorCode.INVALID_ARGUMENT, "a negative length", () -> remote.prefetch(S, 0, -1));
  }
}
