// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFacts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** A harness with its backend open, and the helpers that checks use on them. */
public final class World implements AutoCloseable {
  public static final int PAGE = 4096;

  /** Small, and not a power of two. */
  public static final long SIZE = 24 * PAGE;

  public static final NodeId V = NodeId.of("v");
  public static final NodeId S = NodeId.of("s");
  public static final NodeId T = NodeId.of("t");
  public static final NodeId U = NodeId.of("u");
  public static final NodeId F = NodeId.of("f");

  private final StorageHarness harness;
  private final Path scratch;
  private final StorageFacts facts;
  private StorageBackend backend;
  private final String empty;

  public World(StorageHarness harness, Path scratch) {
    this.harness = harness;
    this.scratch = scratch;
    boolean done = false;
    try {
      ProbeResult probe = harness.provider().probe(harness.context());
      if (!(probe instanceof ProbeResult.Usable usable)
          || !(usable.facts() instanceof StorageFacts stated)) {
        throw new AssertionError(
            "the probe must find the harness's own root usable, and it found " + probe);
      }
      this.facts = stated;
      this.backend = open();
      this.empty = harness.traces();
      done = true;
    } finally {
      if (!done) {
        harness.close();
      }
    }
  }

  public StorageHarness harness() {
    return harness;
  }

  public StorageBackend backend() {
    return backend;
  }

  /** Returns a directory outside the root. */
  public Path scratch() {
    return scratch;
  }

  /** Returns the facts that the probe states. */
  public StorageFacts facts() {
    return facts;
  }

  /** Opens the root, which must not be open. */
  public StorageBackend open() {
    return harness.provider().open(harness.context());
  }

  /** Replaces the closed or dead backend with another opening of the root. */
  public void use(StorageBackend opened) {
    backend = opened;
  }

  public StorageBackend reopen() {
    backend.close();
    backend = open();
    return backend;
  }

  /** Creates a volume of {@link #SIZE} with one page of a value. */
  public Node volume(NodeId id, int value) {
    Node node = backend.create(id, SIZE);
    write(id, 3, value);
    return node;
  }

  public void write(NodeId id, long page, int value) {
    byte[] bytes = new byte[PAGE];
    Arrays.fill(bytes, (byte) value);
    try {
      harness.io().write(backend.attach(id), page * PAGE, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the attachment of " + id, e);
    }
  }

  public void write(NodeId id, long offset, byte[] bytes) {
    try {
      harness.io().write(backend.attach(id), offset, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the attachment of " + id, e);
    }
  }

  /** Begins a write; the returned action ends it. */
  public Runnable begin(NodeId id, long offset, byte[] bytes) {
    try {
      StorageHarness.UnderWay begun = harness.begin(backend.attach(id), offset, bytes);
      return () -> end(id, begun);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot begin to write the attachment of " + id, e);
    }
  }

  private static void end(NodeId id, StorageHarness.UnderWay begun) {
    try {
      begun.end();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot end a write of the attachment of " + id, e);
    }
  }

  public void discard(NodeId id, long offset, long length) {
    try {
      harness.io().discard(backend.attach(id), offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot discard in the attachment of " + id, e);
    }
  }

  public byte[] bytes(NodeId id, long offset, int length) {
    try {
      return harness.io().read(backend.attach(id), offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the attachment of " + id, e);
    }
  }

  /** Returns the first byte of a page. */
  public int read(NodeId id, long page) {
    return bytes(id, page * PAGE, 1)[0];
  }

  /**
   * Returns all nodes with a checksum of their content; equal if the backend is in the same state.
   */
  public Map<NodeId, String> state() {
    Map<NodeId, String> state = new TreeMap<>();
    for (Node node : backend.list()) {
      CRC32 sum = new CRC32();
      sum.update(bytes(node.id(), 0, (int) node.sizeBytes()));
      state.put(
          node.id(),
          node.kind() + " of " + node.origin() + " " + node.sizeBytes() + " " + sum.getValue());
    }
    return state;
  }

  /** Deletes all nodes and requires that nothing else is left in the root either. */
  public void deleteAll(String after) {
    for (Node node : backend.list()) {
      backend.delete(node.id());
    }
    assertEquals(
        empty,
        harness.traces(),
        () ->
            "with all nodes deleted, something is left in the root "
                + after
                + ": remove what a failed or interrupted operation made, at the latest in open()");
  }

  /** Checks that a call fails as it should. */
  public static RametException refused(ErrorCode code, String what, Runnable call) {
    try {
      call.run();
    } catch (RametException e) {
      assertEquals(
          code, e.code(), () -> what + " must fail with " + code + ", not: " + e.getMessage());
      return e;
    }
    return fail(
        what
            + " must fail with "
            + code
            + ", and it answered as if it had been done: refuse what cannot be done");
  }

  /** Checks that a call fails as it should and changes nothing. */
  public RametException refusedWithoutTrace(ErrorCode code, String what, Runnable call) {
    String traces = harness.traces();
    var nodes = backend.list();
    RametException e = refused(code, what, call);
    assertEquals(nodes, backend.list(), () -> what + " failed and changed the list of nodes");
    assertEquals(
        traces,
        harness.traces(),
        () -> what + " failed and left something behind: undo what was done before the failure");
    return e;
  }

  @Override
  public void close() {
    try {
      backend.close();
    } finally {
      harness.close();
    }
  }
}
