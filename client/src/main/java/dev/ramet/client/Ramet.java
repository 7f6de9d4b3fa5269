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
 * A host, the entry point of this client:
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
 * <p>Thread-safe. Requests that create or change something carry an idempotency key: if the
 * connection breaks, the request is sent again, at most twice, and takes effect once. If the host
 * asks to retry later, the client waits as long as the call's timeout allows. Closing releases
 * connections; sandboxes continue to run.
 */
public final class Ramet implements AutoCloseable {
  private final Http http;

  private Ramet(Settings settings) {
    this.http = new Http(settings);
  }

  /** Connects to a host that requires no key. Nothing is sent before the first call. */
  public static Ramet connect(URI uri) {
    return connect(Settings.of(uri));
  }

  /** Connects to a host that requires an API key. */
  public static Ramet connect(URI uri, String apiKey) {
    return connect(Settings.of(uri).withApiKey(apiKey));
  }

  /**
   * Connects to a host.
   *
   * @throws RametException INVALID_ARGUMENT if the address or the file of authorities is invalid
   */
  public static Ramet connect(Settings settings) {
    return new Ramet(settings);
  }

  /**
   * Starts a sandbox with the default lifetime of 300 s.
   *
   * @param template id, name, or name:tag of a template or snapshot
   * @throws RametException NOT_FOUND if there is none
   */
  public Sandbox create(String template) {
    return create(CreateSandbox.builder().templateID(template).build());
  }

  /**
   * Starts a sandbox with a given lifetime.
   *
   * @param lifetime rounded up to a second; null for no limit
   */
  public Sandbox create(String template, @Nullable Duration lifetime) {
    return create(CreateSandbox.builder().templateID(template).timeout(seconds(lifetime)).build());
  }

  /** Starts a sandbox with all options. */
  public Sandbox create(CreateSandbox request) {
    return toSandbox(http.postOnce("/sandboxes", request, SandboxInfo.class));
  }

  /**
   * Returns an existing sandbox.
   *
   * @throws RametException NOT_FOUND if there is none
   */
  public Sandbox sandbox(String id) {
    return toSandbox(http.get("/sandboxes/" + Http.encode(id), SandboxInfo.class));
  }

  /** Returns all sandboxes, newest first. */
  public List<Sandbox> list() {
    return http.getAllPages("/sandboxes", SandboxInfo[].class).stream()
        .map(info -> new Sandbox(this, info.sandboxID(), null))
        .toList();
  }

  /**
   * Returns an existing snapshot.
   *
   * @param name its id, name, or name:tag
   * @throws RametException NOT_FOUND if there is none
   */
  public Snapshot snapshot(String name) {
    return new Snapshot(
        this, http.get("/snapshots/" + Http.encode(name), SnapshotInfo.class).snapshotID());
  }

  /** Returns all snapshots. */
  public List<Snapshot> snapshots() {
    return http.getAllPages("/snapshots", SnapshotInfo[].class).stream()
        .map(info -> new Snapshot(this, info.snapshotID()))
        .toList();
  }

  /** Returns the tags of a template's versions, sorted. */
  public List<TemplateTag> tags(String template) {
    return List.of(http.get("/templates/" + Http.encode(template) + "/tags", TemplateTag[].class));
  }

  /**
   * Assigns tags to a version of a template and removes them from the versions that had them.
   *
   * @param template its id, name:tag, or the name of the version tagged default
   * @return id of the version
   * @throws RametException NOT_FOUND if there is none
   */
  public String tag(String template, String... tags) {
    AssignTags request = new AssignTags(template, List.of(tags));
    return http.postOnce("/templates/tags", request, AssignedTags.class).buildID();
  }

  /**
   * Removes tags from the versions of a template; the versions remain.
   *
   * @param template its name
   * @throws RametException NOT_FOUND if one of the tags does not exist; no tag is removed then
   */
  public void untag(String template, String... tags) {
    http.delete("/templates/tags", new RemoveTags(template, List.of(tags)));
  }

  /** Releases connections; later calls fail. Sandboxes continue to run. Idempotent. */
  @Override
  public void close() {
    http.close();
  }

  Http http() {
    return http;
  }

  /** Returns the sandbox of a response that includes its token. */
  Sandbox toSandbox(SandboxInfo info) {
    String token = info.envdAccessToken();
    return new Sandbox(this, info.sandboxID(), token == null ? "" : token);
  }

  static int seconds(@Nullable Duration lifetime) {
    return lifetime == null
        ? -1
        : Math.toIntExact(lifetime.plusSeconds(1).minusNanos(1).toSeconds());
  }
}
