// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.capture.SnapshotTarget;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.engine.support.Undo;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Publishes images as snapshots without memory, which boot. Thread-safe. */
public final class ImagePublisher {
  private final SnapshotTarget target;

  public ImagePublisher(SnapshotTarget target) {
    this.target = target;
  }

  /**
   * Publishes the images as they are.
   *
   * @param kind the kind of snapshot to make of them
   * @param version its name and tags, or null
   * @param ids receives its id beforehand
   */
  SnapshotRecord publish(
      TemplateImages images,
      SnapshotRecord.Kind kind,
      @Nullable TaggedName version,
      IdListener ids) {
    String id = Ids.newId('t');
    Path initrd = images.initrd();
    ids.assigning(List.of(id));
    try (Undo undo = new Undo()) {
      Path partial = target.begin("template", id, undo);
      target.before("template.import");
      var disk = Layout.snapshotDisk(id);
      undo.add("disk of " + id, () -> target.storage().delete(disk));
      Node node = target.storage().importFrom(disk, images.rootfs());
      target.before("template.seal");
      target.storage().seal(disk, Durability.DURABLE);
      target.before("template.kernel");
      Files.copy(images.kernel(), Layout.kernel(partial));
      if (initrd != null) {
        Files.copy(initrd, Layout.initrd(partial));
      }
      target.before("template.publish");
      Instant now = Instant.now();
      SnapshotRecord record =
          SnapshotRecord.builder()
              .id(id)
              .kind(kind)
              .name(version == null ? null : version.alias())
              .tags(version == null ? Map.of() : version.assigned(now))
              .createdAt(now)
              .cpuCount(images.cpuCount())
              .memoryBytes(images.memoryBytes())
              .diskBytes(node.sizeBytes())
              .kernelArguments(images.kernelArguments())
              .agentPort(images.agentPort())
              .warm(false)
              .contentKey(images.contentKey())
              .deleted(false)
              .pending(kind == SnapshotRecord.Kind.CLONE_BASE)
              .build();
      SnapshotRecord published = target.snapshots().publish(record, true);
      undo.commit();
      return published;
    } catch (IOException e) {
      Path root = target.root();
      // A failed copy has removed its output: a full disk shows by this much room being missing.
      throw Errors.ioError("cannot make a template", root, size(images.kernel()) + size(initrd), e);
    }
  }

  private static long size(@Nullable Path file) {
    return file == null ? 0 : file.toFile().length();
  }
}
