// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes the components of a manifest by name. Numbers, collections and components that may be null
 * need not be set; {@link #build} fails without any of the others.
 */
public final class SnapshotRecordBuilder {
  private @Nullable String id;
  private SnapshotRecord.@Nullable Kind kind;
  private @Nullable String name;
  private Map<String, Instant> tags = Map.of();
  private @Nullable String description;
  private @Nullable Instant createdAt;
  private @Nullable String sandboxId;
  private @Nullable Integer machine;
  private @Nullable String templateId;
  private int cpuCount;
  private long memoryBytes;
  private long diskBytes;
  private @Nullable String kernelArguments;
  private @Nullable Integer agentPort;
  private boolean warm;
  private @Nullable VmIdentity identity;
  private @Nullable CaptureReport capture;
  private @Nullable String contentKey;
  private @Nullable ImageContent content;
  private boolean deleted;
  private boolean pending;
  private @Nullable HostSecret hostSecret;

  SnapshotRecordBuilder() {}

  public SnapshotRecordBuilder id(String value) {
    id = value;
    return this;
  }

  public SnapshotRecordBuilder kind(SnapshotRecord.Kind value) {
    kind = value;
    return this;
  }

  public SnapshotRecordBuilder name(@Nullable String value) {
    name = value;
    return this;
  }

  public SnapshotRecordBuilder tags(Map<String, Instant> value) {
    tags = value;
    return this;
  }

  public SnapshotRecordBuilder description(@Nullable String value) {
    description = value;
    return this;
  }

  public SnapshotRecordBuilder createdAt(Instant value) {
    createdAt = value;
    return this;
  }

  public SnapshotRecordBuilder sandboxId(@Nullable String value) {
    sandboxId = value;
    return this;
  }

  public SnapshotRecordBuilder machine(@Nullable Integer value) {
    machine = value;
    return this;
  }

  public SnapshotRecordBuilder templateId(@Nullable String value) {
    templateId = value;
    return this;
  }

  public SnapshotRecordBuilder cpuCount(int value) {
    cpuCount = value;
    return this;
  }

  public SnapshotRecordBuilder memoryBytes(long value) {
    memoryBytes = value;
    return this;
  }

  public SnapshotRecordBuilder diskBytes(long value) {
    diskBytes = value;
    return this;
  }

  public SnapshotRecordBuilder kernelArguments(String value) {
    kernelArguments = value;
    return this;
  }

  public SnapshotRecordBuilder agentPort(@Nullable Integer value) {
    agentPort = value;
    return this;
  }

  public SnapshotRecordBuilder warm(boolean value) {
    warm = value;
    return this;
  }

  public SnapshotRecordBuilder identity(@Nullable VmIdentity value) {
    identity = value;
    return this;
  }

  public SnapshotRecordBuilder capture(@Nullable CaptureReport value) {
    capture = value;
    return this;
  }

  public SnapshotRecordBuilder contentKey(@Nullable String value) {
    contentKey = value;
    return this;
  }

  public SnapshotRecordBuilder content(@Nullable ImageContent value) {
    content = value;
    return this;
  }

  public SnapshotRecordBuilder deleted(boolean value) {
    deleted = value;
    return this;
  }

  public SnapshotRecordBuilder pending(boolean value) {
    pending = value;
    return this;
  }

  public SnapshotRecordBuilder hostSecret(@Nullable HostSecret value) {
    hostSecret = value;
    return this;
  }

  /** Returns a record of the components. */
  public SnapshotRecord build() {
    return new SnapshotRecord(
        Objects.requireNonNull(id, "id"),
        Objects.requireNonNull(kind, "kind"),
        name,
        tags,
        description,
        Objects.requireNonNull(createdAt, "createdAt"),
        sandboxId,
        machine,
        templateId,
        cpuCount,
        memoryBytes,
        diskBytes,
        Objects.requireNonNull(kernelArguments, "kernelArguments"),
        agentPort,
        warm,
        identity,
        capture,
        contentKey,
        content,
        deleted,
        pending,
        hostSecret);
  }
}
