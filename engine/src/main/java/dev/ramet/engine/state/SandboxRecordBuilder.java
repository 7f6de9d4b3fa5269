// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.state;

import dev.ramet.engine.sandboxes.Sandbox;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes the components of a manifest by name. Numbers, collections and components that may be null
 * need not be set; {@link #build} fails without any of the others.
 */
public final class SandboxRecordBuilder {
  private @Nullable String id;
  private SandboxRecord.@Nullable State state;
  private @Nullable String detail;
  private boolean hidden;
  private @Nullable String sourceId;
  private @Nullable String sourceName;
  private @Nullable String parentId;
  private @Nullable String name;
  private Map<String, String> metadata = Map.of();
  private @Nullable Instant startedAt;
  private @Nullable Instant endAt;
  private boolean outbound;
  private @Nullable String memoryMode;
  private long diskBytes;
  private @Nullable Integer agentPort;
  private SandboxRecord.@Nullable Terms terms;
  private SandboxRecord.@Nullable Machine machine;

  SandboxRecordBuilder() {}

  public SandboxRecordBuilder id(String value) {
    id = value;
    return this;
  }

  public SandboxRecordBuilder state(SandboxRecord.State value) {
    state = value;
    return this;
  }

  public SandboxRecordBuilder detail(@Nullable String value) {
    detail = value;
    return this;
  }

  public SandboxRecordBuilder hidden(boolean value) {
    hidden = value;
    return this;
  }

  public SandboxRecordBuilder sourceId(String value) {
    sourceId = value;
    return this;
  }

  public SandboxRecordBuilder sourceName(@Nullable String value) {
    sourceName = value;
    return this;
  }

  public SandboxRecordBuilder parentId(@Nullable String value) {
    parentId = value;
    return this;
  }

  public SandboxRecordBuilder name(@Nullable String value) {
    name = value;
    return this;
  }

  /** Takes the name and the labels. */
  public SandboxRecordBuilder label(Sandbox.Label value) {
    return name(value.name()).metadata(value.metadata());
  }

  public SandboxRecordBuilder metadata(Map<String, String> value) {
    metadata = value;
    return this;
  }

  public SandboxRecordBuilder startedAt(Instant value) {
    startedAt = value;
    return this;
  }

  public SandboxRecordBuilder endAt(@Nullable Instant value) {
    endAt = value;
    return this;
  }

  public SandboxRecordBuilder outbound(boolean value) {
    outbound = value;
    return this;
  }

  public SandboxRecordBuilder memoryMode(@Nullable String value) {
    memoryMode = value;
    return this;
  }

  public SandboxRecordBuilder diskBytes(long value) {
    diskBytes = value;
    return this;
  }

  public SandboxRecordBuilder agentPort(@Nullable Integer value) {
    agentPort = value;
    return this;
  }

  public SandboxRecordBuilder terms(SandboxRecord.@Nullable Terms value) {
    terms = value;
    return this;
  }

  public SandboxRecordBuilder machine(SandboxRecord.Machine value) {
    machine = value;
    return this;
  }

  /** Returns a record of the components. */
  public SandboxRecord build() {
    return new SandboxRecord(
        Objects.requireNonNull(id, "id"),
        Objects.requireNonNull(state, "state"),
        detail,
        hidden,
        Objects.requireNonNull(sourceId, "sourceId"),
        sourceName,
        parentId,
        name,
        metadata,
        Objects.requireNonNull(startedAt, "startedAt"),
        endAt,
        outbound,
        memoryMode,
        diskBytes,
        agentPort,
        terms,
        Objects.requireNonNull(machine, "machine"));
  }
}
