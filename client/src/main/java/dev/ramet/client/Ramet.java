// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.api.template.AssignTags;
import dev.ramet.api.template.AssignedTags;
import dev.ramet.api.template.RemoveTags;
import dev.ramet.api.template.TemplateTag;
import dev.ramet.errors.RametException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host, and where everything begins:
 *
 * <pre>{@code
 * try (Ramet ramet = Ramet.connect(URI.create("http://127.0.0.1:3000"));
 *     Sandbox sandbox = ramet.create("micro")) {
 *   Snapshot before = sandbox.snapshot();
 *   sandbox.run("rm -rf /root");
 *   sandbox.rollback(before);
 *   try (Sandboxes ten = sandbox.clone(10)) {
 *     ten.forEach(one -> one.run("echo here"));
 *   }
 * }
 * }</pre>
 *
 * <p>Thread-safe. What makes or changes something carries an idempotency key: when its connection
 * breaks it is sent again, twice at most, and happens once; when the host says when to ask again,
 * that is waited for as long as the call's time allows. Closing lets go of connections: sandboxes
 * live on.
 */
public final class Ramet implements AutoCloseable {
  private final Http http;

  private Ramet(Settings settings) {
    this.http = new Http(settings);
  }

  /** A host that wants no key. Nothing is sent before the first call. */
  public static Ramet connect(URI uri) {
    return connect(Settings.of(uri));
  }

  /** A host that wants a key. */
  public static Ramet connect(URI uri, String apiKey) {
    return connect(Settings.of(uri).withApiKey(apiKey));
  }

  /**
   * A host.
   *
   * @throws RametException INVALID_ARGUMENT if the address is none, or the file of authorities
   */
  public static Ramet connect(Settings settings) {
    return new Ramet(settings);
  }

  /**
   * Starts a sandbox that lives for 300 s if nothing else is asked for.
   *
   * @param template id, name, or name:tag of a template or snapshot
   * @throws RametException NOT_FOUND if there is none
   */
  public Sandbox create(String template) {
    return create(new CreateSandbox(template, null, null, null, null, null, null, null));
  }

  /**
   * The same with another time to live.
   *
   * @param lifetime to a second, rounded up; null for ever
   */
  public Sandbox create(String template, @Nullable Duration lifetime) {
    return create(
        new CreateSandbox(template, seconds(lifetime), null, null, null, null, null, null));
  }

  /** The same with all that can be said. */
  public Sandbox create(CreateSandbox request) {
    return made(http.once("/sandboxes", request, SandboxInfo.class));
  }

  /**
   * A sandbox that exists.
   *
   * @throws RametException NOT_FOUND if it does not
   */
  public Sandbox sandbox(String id) {
    return made(http.get("/sandboxes/" + Http.encode(id), SandboxInfo.class));
  }

  /** All sandboxes, the newest first. */
  public List<Sandbox> list() {
    return http.all("/sandboxes", SandboxInfo[].class).stream()
        .map(info -> new Sandbox(this, info.sandboxID(), null))
        .toList();
  }

  /**
   * A snapshot that exists.
   *
   * @param name its id, name, or name:tag
   * @throws RametException NOT_FOUND if it does not
   */
  public Snapshot snapshot(String name) {
    return new Snapshot(
        this, http.get("/snapshots/" + Http.encode(name), SnapshotInfo.class).snapshotID());
  }

  /** All snapshots. */
  public List<Snapshot> snapshots() {
    return http.all("/snapshots", SnapshotInfo[].class).stream()
        .map(info -> new Snapshot(this, info.snapshotID()))
        .toList();
  }

  /** Tags of a template's versions, in order. */
  public List<TemplateTag> tags(String template) {
    return List.of(http.get("/templates/" + Http.encode(template) + "/tags", TemplateTag[].class));
  }

  /**
   * Gives a version of a template tags, and takes them from the versions that have them.
   *
   * @param template its id, name:tag, or the name of the one tagged default
   * @return id of the version
   * @throws RametException NOT_FOUND if there is none
   */
  public String tag(String template, String... tags) {
    AssignTags request = new AssignTags(template, List.of(tags));
    return http.once("/templates/tags", request, AssignedTags.class).buildID();
  }

  /**
   * Takes tags from the versions of a template, which stay.
   *
   * @param template its name
   * @throws RametException NOT_FOUND if one of the tags is not there; none was taken then
   */
  public void untag(String template, String... tags) {
    http.delete("/templates/tags", new RemoveTags(template, List.of(tags)));
  }

  /** Lets go of connections; calls after it are refused. Sandboxes live on. Idempotent. */
  @Override
  public void close() {
    http.close();
  }

  Http http() {
    return http;
  }

  /** A sandbox of an answer that tells its token. */
  Sandbox made(SandboxInfo info) {
    String token = info.envdAccessToken();
    return new Sandbox(this, info.sandboxID(), token == null ? "" : token);
  }

  static int seconds(@Nullable Duration lifetime) {
    return lifetime == null
        ? -1
        : Math.toIntExact(lifetime.plusSeconds(1).minusNanos(1).toSeconds());
  }
}
