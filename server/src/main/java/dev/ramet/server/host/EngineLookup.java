// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.host;

import dev.ramet.egress.rule.Secret;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.templates.Template;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds the objects that an operation created, by the ids reserved for them. Thread-safe. */
public final class EngineLookup {
  private EngineLookup() {}

  public static Optional<Sandbox> sandbox(EngineHolder engine, List<String> ids) {
    return sandboxes(engine, ids).map(found -> found.get(0));
  }

  /** Returns the sandboxes that exist, or empty when none does. */
  public static Optional<List<Sandbox>> sandboxes(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    List<Sandbox> found =
        ids.stream().flatMap(id -> find(() -> open.sandboxes().get(id)).stream()).toList();
    return found.isEmpty() ? Optional.empty() : Optional.of(found);
  }

  public static Optional<Snapshot> snapshot(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    return ids.stream().flatMap(id -> find(() -> open.snapshots().get(id)).stream()).findFirst();
  }

  public static Optional<Template> template(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    return ids.stream().flatMap(id -> find(() -> open.templates().get(id)).stream()).findFirst();
  }

  public static Optional<Volume> volume(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    return ids.stream().flatMap(id -> find(() -> open.volumes().get(id)).stream()).findFirst();
  }

  public static Optional<Secret> secret(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    return ids.stream().flatMap(id -> find(() -> open.secrets().get(id)).stream()).findFirst();
  }

  /** Returns the id of the template or snapshot that a reference names now. */
  public static Optional<String> id(EngineHolder engine, String reference) {
    Engine open = engine.get();
    return find(() -> open.templates().get(reference).id())
        .or(() -> find(() -> open.snapshots().get(reference).id()));
  }

  /** Deletes the snapshots and templates that exist. */
  public static void deleteAll(EngineHolder engine, List<String> ids) {
    Engine open = engine.get();
    snapshot(engine, ids).ifPresent(found -> open.snapshots().delete(found.id(), false));
    template(engine, ids).ifPresent(found -> open.templates().delete(found.id()));
  }

  private static <T> Optional<T> find(Supplier<T> lookup) {
    try {
      return Optional.of(lookup.get());
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
