// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.remote;

import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import dev.ramet.tck.reference.FaultHandlers;
import dev.ramet.tck.reference.ReferenceHarness;
import dev.ramet.tck.storage.NodeIo;
import dev.ramet.tck.storage.RemoteControl;
import dev.ramet.tck.storage.StepControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The harness of the reference model for backends whose images are elsewhere. Its server runs until
 * {@link #close}, so that it outlives the backends opened in between, as one in a process of its
 * own does.
 */
public class RemoteHarness extends ReferenceHarness {
  private static final String NBD = "nbd";

  /**
   * The parts that run.
   *
   * @param store the images
   * @param sockets the directory of the sockets
   * @param server hands out the images
   */
  private record Running(RemoteStore store, Path sockets, NbdServer server) {}

  private @Nullable Running running;

  /**
   * Creates a model with an empty disk.
   *
   * @param root an existing directory that represents it; nothing is written there
   */
  public RemoteHarness(Path root) {
    super(root);
  }

  /** Starts its server. Called once, before anything else. */
  public RemoteHarness start() throws IOException {
    RemoteStore store = store(root(), super.io());
    Path sockets = Files.createTempDirectory("ramet-nbd");
    running = new Running(store, sockets, NbdServer.start(sockets.resolve(NBD), store::export));
    return this;
  }

  private Running running() {
    return Objects.requireNonNull(running, "not started");
  }

  /** Creates the store; a wrong model returns another one. */
  RemoteStore store(Path root, NodeIo distant) {
    return new RemoteStore(root, distant, this::find);
  }

  /** Returns a node of the disk, or null if there is none. */
  final @Nullable Node find(NodeId id) {
    return node(id);
  }

  /** Returns the socket of the server. */
  public final Path nbdSocket() {
    return sockets().resolve(NBD);
  }

  /** Returns the directory of sockets. */
  final Path sockets() {
    return running().sockets();
  }

  @Override
  public StorageBackend open(StepControl.Observer observer) {
    return new RemoteBackend(this, running().store(), observer);
  }

  @Override
  protected StorageFacts facts() {
    StorageFacts local = super.facts();
    Set<StorageFeature> features = new HashSet<>(local.features());
    features.add(StorageFeature.REMOTE_IMAGES);
    return new StorageFacts(
            local.copy(), local.layeredReads(), local.movesOnWrite(), Set.copyOf(features))
        .attaching(Attachment.Kind.NBD);
  }

  @Override
  public NodeIo io() {
    return new NbdIo();
  }

  @Override
  public Optional<RemoteControl> remote() {
    return Optional.of(
        new RemoteControl() {
          @Override
          public void forget(NodeId id) {
            running().store().forget(id);
          }

          @Override
          public byte[] touch(MemorySource.FaultHandler handler, long imageOffset) {
            return FaultHandlers.connect(handler).page(imageOffset);
          }
        });
  }

  @Override
  public void close() {
    try {
      running().server().close();
      Files.deleteIfExists(sockets());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    super.close();
  }
}
