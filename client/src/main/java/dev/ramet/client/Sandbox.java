// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.agent.AgentErrors;
import dev.ramet.agent.Command;
import dev.ramet.agent.Guest;
import dev.ramet.agent.GuestProcess;
import dev.ramet.agent.Result;
import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.ForkEntry;
import dev.ramet.api.sandbox.RollbackRequest;
import dev.ramet.api.sandbox.RollbackResult;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.sandbox.SandboxLabels;
import dev.ramet.api.snapshot.CreateSnapshot;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox: a machine that runs on a host. Thread-safe; the host runs operations on one sandbox
 * one after the other. {@link #close} kills it, so do not close a sandbox that must continue to
 * run.
 */
public final class Sandbox implements AutoCloseable {
  private final Ramet ramet;
  private final Http http;
  private final String id;
  private final Guest guest;

  Sandbox(Ramet ramet, String id, @Nullable String token) {
    this.ramet = ramet;
    this.http = ramet.http();
    this.id = id;
    this.guest = new Guest(new HostedGuest(http, id, token), null);
  }

  /** Returns its id, which stays the same through rollbacks, pauses and restarts of the host. */
  public String id() {
    return id;
  }

  /**
   * Returns its current state from the host.
   *
   * @throws RametException NOT_FOUND if it no longer exists
   */
  public SandboxInfo info() {
    return http.get(path(""), SandboxInfo.class);
  }

  /** Takes a snapshot of disk and memory; the sandbox continues to run. */
  public Snapshot snapshot() {
    return snapshot(new CreateSnapshot(null, null));
  }

  /**
   * Takes a snapshot with a name, or a name and a tag with a colon between them. An older snapshot
   * with both loses the tag to this one and stays reachable by its id.
   *
   * @throws RametException ALREADY_EXISTS if a template has the name
   */
  public Snapshot snapshot(String name) {
    return snapshot(new CreateSnapshot(name, null));
  }

  /** Takes a snapshot with all options. */
  public Snapshot snapshot(CreateSnapshot request) {
    return new Snapshot(
        ramet, http.postOnce(path("/snapshots"), request, SnapshotInfo.class).snapshotID());
  }

  /**
   * Rolls it back to a snapshot: disk, memory and running programs. If that fails, the sandbox is
   * unchanged.
   *
   * @return the result of the rollback
   */
  public RollbackResult rollback(Snapshot snapshot) {
    return rollback(snapshot.id());
  }

  /** Rolls it back to a snapshot given by id or name. */
  public RollbackResult rollback(String snapshot) {
    return http.postOnce(path("/rollback"), new RollbackRequest(snapshot), RollbackResult.class);
  }

  /**
   * Creates sandboxes that continue from the current state of this one: all of them, or none. Their
   * default lifetime is 300 s.
   *
   * @param count how many, 1 to 100
   */
  public Sandboxes clone(int count) {
    return clone(new CloneRequestBody(count, null, null));
  }

  /** Clones it with all options. */
  public Sandboxes clone(CloneRequestBody request) {
    CloneResult result = http.postOnce(path("/clone"), request, CloneResult.class);
    return new Sandboxes(result.sandboxes().stream().map(ramet::toSandbox).toList(), List.of());
  }

  /**
   * Creates clones like {@link #clone(int)}, except that each succeeds or fails separately; {@link
   * Sandboxes#failures} says why. Their default lifetime is 15 s.
   *
   * @param count how many, 1 to 100
   */
  public Sandboxes fork(int count) {
    return fork(new CloneRequestBody(count, null, null));
  }

  /** Forks it with all options. */
  public Sandboxes fork(CloneRequestBody request) {
    List<Sandbox> made = new ArrayList<>();
    List<RametException> failures = new ArrayList<>();
    for (ForkEntry entry : http.postOnce(path("/fork"), request, ForkEntry[].class)) {
      if (entry.sandbox() != null) {
        made.add(ramet.toSandbox(entry.sandbox()));
      } else if (entry.error() != null) {
        failures.add(AgentErrors.fromResponse(entry.error().code(), Json.bytes(entry.error())));
      }
    }
    return new Sandboxes(made, failures);
  }

  /** Pauses it and keeps its memory; its VMM process ends. */
  public void pause() {
    http.post(path("/pause"), Map.of("memory", true));
  }

  /**
   * Boots it again from its own disk, under the same id. Its memory and its running programs are
   * lost. If that fails, the sandbox is unchanged.
   */
  public void restart() {
    http.postOnce(path("/restart"), Map.of(), SandboxInfo.class);
  }

  /**
   * Gives it a name that is accepted wherever its id is.
   *
   * @param name 1 to 57 characters of a-z 0-9 -; null for no name
   * @throws RametException ALREADY_EXISTS if another sandbox has the name
   */
  public void rename(@Nullable String name) {
    http.put(path("/name"), Map.of("name", name == null ? "" : name));
  }

  /**
   * Sets and removes labels; others stay. Labels are the metadata of the E2B protocol.
   *
   * @param set the labels to set, by key
   * @param removed keys of the labels to remove
   */
  public void label(Map<String, String> set, String... removed) {
    http.post(path("/metadata"), new SandboxLabels(set, List.of(removed)));
  }

  /**
   * Resumes it; its lifetime starts over, and one that was to live for ever still does. If it runs
   * already, its lifetime is not shortened.
   */
  public void resume() {
    http.postOnce(path("/connect"), Map.of(), SandboxInfo.class);
  }

  /**
   * Sets its lifetime, counted from now.
   *
   * @param lifetime rounded up to a second; null for no limit
   */
  public void lifetime(@Nullable Duration lifetime) {
    http.post(path("/timeout"), Map.of("timeout", Ramet.seconds(lifetime)));
  }

  /** Runs a line in {@code /bin/sh} and waits for its end, for a minute at most. */
  public Result run(String line) {
    return run(Command.shell(line));
  }

  /**
   * Runs a program and waits for its end.
   *
   * @return its result, also when its status is not 0
   * @throws RametException DEADLINE_EXCEEDED if its timeout expired, GUEST_UNREACHABLE if the
   *     sandbox disappeared
   */
  public Result run(Command command) {
    try (GuestProcess process = start(command)) {
      return process.result();
    }
  }

  /** Starts a program whose output can be read while it runs. */
  public GuestProcess start(Command command) {
    return guest.start(command);
  }

  /** Returns access to its files. */
  public GuestFiles files() {
    return new GuestFiles(guest, http);
  }

  /**
   * Kills it and deletes its disk; its snapshots remain.
   *
   * @return whether it existed
   */
  public boolean kill() {
    try {
      http.delete(path(""));
      return true;
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** Kills it. Idempotent. */
  @Override
  public void close() {
    kill();
  }

  private String path(String action) {
    return "/sandboxes/" + Http.encode(id) + action;
  }

  @Override
  public String toString() {
    return id;
  }
}
