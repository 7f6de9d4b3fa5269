// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.ForkEntry;
import dev.ramet.api.sandbox.RollbackRequest;
import dev.ramet.api.sandbox.RollbackResult;
import dev.ramet.api.sandbox.SandboxInfo;
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
 * A sandbox: a machine that runs on a host. Thread-safe; operations on one sandbox come one after
 * the other on the host. {@link #close} kills it, so one that is to live on is not closed.
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
    this.guest = new Guest(http, id, token);
  }

  /** Its id, which stays through rollbacks, pauses and restarts of the host. */
  public String id() {
    return id;
  }

  /**
   * What the host says of it now.
   *
   * @throws RametException NOT_FOUND if it is gone
   */
  public SandboxInfo info() {
    return http.get(path(""), SandboxInfo.class);
  }

  /** Takes a snapshot of disk and memory; the sandbox runs on. */
  public Snapshot snapshot() {
    return snapshot(new CreateSnapshot(null, null));
  }

  /**
   * The same with a name, or a name and a tag with a colon between them. A snapshot that has both
   * stays, by its id, and loses the tag to this one.
   *
   * @throws RametException ALREADY_EXISTS if a template has the name
   */
  public Snapshot snapshot(String name) {
    return snapshot(new CreateSnapshot(name, null));
  }

  /** The same with all that can be said. */
  public Snapshot snapshot(CreateSnapshot request) {
    return new Snapshot(
        ramet, http.once(path("/snapshots"), request, SnapshotInfo.class).snapshotID());
  }

  /**
   * Puts it back to a snapshot: disk, memory and running programs. If that fails, it is as it was.
   *
   * @return what was done
   */
  public RollbackResult rollback(Snapshot snapshot) {
    return rollback(snapshot.id());
  }

  /** The same with a snapshot's id or name. */
  public RollbackResult rollback(String snapshot) {
    return http.once(path("/rollback"), new RollbackRequest(snapshot), RollbackResult.class);
  }

  /**
   * Makes sandboxes that go on from where this one is now: all of them, or none. They live for 300
   * s if nothing else is asked for.
   *
   * @param count how many, 1 to 100
   */
  public Sandboxes clone(int count) {
    return clone(new CloneRequestBody(count, null, null));
  }

  /** The same with all that can be said. */
  public Sandboxes clone(CloneRequestBody request) {
    CloneResult result = http.once(path("/clone"), request, CloneResult.class);
    return new Sandboxes(result.sandboxes().stream().map(ramet::made).toList(), List.of());
  }

  /**
   * Like {@link #clone(int)}, but each is made or not by itself; {@link Sandboxes#failures} tells
   * why. They live for 15 s if nothing else is asked for.
   *
   * @param count how many, 1 to 100
   */
  public Sandboxes fork(int count) {
    return fork(new CloneRequestBody(count, null, null));
  }

  /** The same with all that can be said. */
  public Sandboxes fork(CloneRequestBody request) {
    List<Sandbox> made = new ArrayList<>();
    List<RametException> failures = new ArrayList<>();
    for (ForkEntry entry : http.once(path("/fork"), request, ForkEntry[].class)) {
      if (entry.sandbox() != null) {
        made.add(ramet.made(entry.sandbox()));
      } else if (entry.error() != null) {
        failures.add(Failures.of(entry.error().code(), Json.bytes(entry.error())));
      }
    }
    return new Sandboxes(made, failures);
  }

  /** Stops it and keeps its memory; its process on the host ends. */
  public void pause() {
    http.post(path("/pause"), Map.of("memory", true));
  }

  /** Wakes it, or brings its end no nearer if it runs. */
  public void resume() {
    http.once(path("/connect"), Map.of(), SandboxInfo.class);
  }

  /**
   * Sets when its time is over, counted from now.
   *
   * @param lifetime to a second, rounded up; null for never
   */
  public void lifetime(@Nullable Duration lifetime) {
    http.post(path("/timeout"), Map.of("timeout", Ramet.seconds(lifetime)));
  }

  /** Runs a line of {@code /bin/sh} to its end, for a minute at most. */
  public Result run(String line) {
    return run(Command.shell(line));
  }

  /**
   * Runs a program to its end.
   *
   * @return what it did, also when its status is not 0
   * @throws RametException DEADLINE_EXCEEDED if its time was over, GUEST_UNREACHABLE if the sandbox
   *     went away
   */
  public Result run(Command command) {
    try (GuestProcess process = start(command)) {
      return process.result();
    }
  }

  /** Starts a program, to read what it writes while it runs. */
  public GuestProcess start(Command command) {
    return guest.start(command);
  }

  /** Its files. */
  public GuestFiles files() {
    return new GuestFiles(guest, http);
  }

  /**
   * Ends it and deletes its disk; its snapshots stay.
   *
   * @return whether it was there
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
