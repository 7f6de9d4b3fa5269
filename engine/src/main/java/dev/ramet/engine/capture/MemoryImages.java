// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.capture;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.pages.Fingerprint;
import dev.ramet.engine.pages.PageCapture;
import dev.ramet.engine.pages.PageWriter;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotReclaimer;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Makes the memory images of captures and opens them for their pages. Thread-safe.
 *
 * <p>A capture that overlays another snapshot's image passes that snapshot pinned.
 */
public final class MemoryImages {
  /** Whether every capture is compared with the paused machine's whole memory. */
  public static final Setting<Boolean> VERIFY =
      Setting.toggle(
          "ramet.verify-captures",
          false,
          "Compare every capture with all of the paused machine's memory, and fail the capture if"
              + " it differs. This makes the pause grow with the memory; it is meant for tests"
              + " and for trying out a new kernel.");

  private static final System.Logger LOG = System.getLogger(MemoryImages.class.getName());

  private final StorageBackend storage;
  private final PageWriter pages;
  private final boolean memoryStable;
  private final SnapshotReplacement replacement;
  private final boolean verifyAll;
  private final StepObserver steps;

  /**
   * Creates the maker of a root's memory images.
   *
   * @param pages writes the pages
   * @param memoryStable whether memory does not change while devices are saved
   * @param replacement decides whether the image of a replaced snapshot is written over
   * @param verifyAll whether each capture is compared with all of the machine's memory
   */
  public MemoryImages(
      StorageBackend storage,
      PageWriter pages,
      boolean memoryStable,
      SnapshotReplacement replacement,
      boolean verifyAll,
      StepObserver steps) {
    this.storage = storage;
    this.pages = pages;
    this.memoryStable = memoryStable;
    this.replacement = replacement;
    this.verifyAll = verifyAll;
    this.steps = steps;
  }

  /** Returns whether memory can be read while devices are saved; otherwise it is read after. */
  boolean memoryStable() {
    return memoryStable;
  }

  /**
   * Creates the image that pages are written to: a fork of the base's image, an image of zeros, or
   * the image of the replaced snapshot.
   *
   * @param sizeBytes size of the machine's memory
   * @param baseline what the selected pages are relative to
   * @param base the snapshot whose image they overlay, or null for none
   * @return how the replaced snapshot's image was used, or null if nothing is replaced
   */
  CaptureReport.@Nullable Replaced create(
      CaptureOrder order,
      long sizeBytes,
      Baseline baseline,
      SnapshotReclaimer.@Nullable Pin base,
      Undo undo) {
    NodeId image = Layout.snapshotMemory(order.id());
    steps.before("snapshot.memory");
    undo.add("memory image of " + order.id(), () -> storage.delete(image));
    CaptureReport.Replaced replaced = replacement.takeOver(order, baseline, base);
    if (replaced != null && replaced.inPlace()) {
      LOG.log(System.Logger.Level.INFO, "{0} is written over {1}", image, replaced);
    } else if (base == null) {
      storage.create(image, sizeBytes, Durability.RELAXED);
    } else {
      storage.fork(Layout.snapshotMemory(base.record().id()), image, Durability.RELAXED);
    }
    return replaced;
  }

  /** Returns where the image of a capture can be read and written. */
  Attachment attach(CaptureOrder order) {
    return storage.attach(Layout.snapshotMemory(order.id()));
  }

  /**
   * Opens the image for pages.
   *
   * @param fork the base if the image is a fork of its image, or null
   */
  PageCapture open(Attachment image, Baseline baseline, SnapshotReclaimer.@Nullable Pin fork) {
    return pages.open(image, baseline, fork == null ? null : equalFile(image, fork));
  }

  /**
   * Returns the file that a fresh image equals byte for byte, or null. Where images are block
   * devices it returns null: attaching the base could create a device, only to save a few pages.
   */
  private @Nullable Path equalFile(Attachment image, SnapshotReclaimer.Pin base) {
    if (!(image instanceof Attachment.LocalFile)) {
      return null;
    }
    Attachment equal = storage.attach(Layout.snapshotMemory(base.record().id()));
    return equal instanceof Attachment.LocalFile file ? file.path() : null;
  }

  /** Returns what the image is compared with if the capture is to be verified, or null. */
  @Nullable Fingerprint fingerprint(CaptureOrder order, long sizeBytes) {
    if (!order.verify() && !verifyAll) {
      return null;
    }
    attach(order).path(); // Fails before the pause if there is no file to compare with.
    return new Fingerprint(sizeBytes);
  }

  /** Makes the image as durable as the order wants it; nothing is written to it any more. */
  void seal(CaptureOrder order) {
    steps.before("snapshot.seal");
    storage.seal(Layout.snapshotMemory(order.id()), order.durability());
  }

  /** Deletes the replaced snapshot, once the capture is published. */
  void giveUpReplaced(CaptureOrder order) {
    replacement.deleteReplaced(order.replaces());
  }
}
