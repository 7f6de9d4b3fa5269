// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.api.operation.ApiError;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.operation.Operation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A template build with its state and its log. Thread-safe. */
public final class TemplateBuild implements BuildLog {
  private static final int MAX_ENTRIES = 10_000;
  private static final int MAX_CHARACTERS = 1 << 20;
  private static final int PAGE = 1000;
  private static final int LAST = 20;

  private final String id;
  private final String templateId;
  private final String name;
  private final SortedSet<String> tags = new TreeSet<>();
  private final @Nullable Integer cpuCount;
  private final @Nullable Long memoryBytes;
  private final List<BuildStatus.Entry> entries = new ArrayList<>();

  private String status = "waiting";
  private int characters;
  private int steps;
  private int at;
  private boolean interrupted;
  private BuildStatus.@Nullable Reason reason;
  private @Nullable Operation operation;

  /**
   * Creates a build that waits for its steps.
   *
   * @param templateId id of the template to create
   * @param name that template's name, optionally followed by a colon and a tag
   * @param more further tags; if neither names one, the tag is {@code default}
   * @param cpuCount virtual CPUs, or null for those of its source
   * @param memoryBytes guest memory, or null for that of its source
   */
  public TemplateBuild(
      String templateId,
      String name,
      List<String> more,
      @Nullable Integer cpuCount,
      @Nullable Long memoryBytes) {
    id = UUID.randomUUID().toString();
    this.templateId = templateId;
    int colon = name.indexOf(':');
    this.name = colon < 0 ? name : name.substring(0, colon);
    tags.addAll(more);
    if (colon >= 0) {
      tags.add(name.substring(colon + 1));
    } else if (tags.isEmpty()) {
      tags.add("default");
    }
    this.cpuCount = cpuCount;
    this.memoryBytes = memoryBytes;
  }

  /** Restores a build that an earlier run of the host saved. */
  TemplateBuild(SavedBuild saved) {
    id = saved.buildID();
    templateId = saved.templateID();
    name = saved.name();
    tags.addAll(saved.tags());
    cpuCount = saved.cpuCount();
    memoryBytes = saved.memoryBytes();
    status = saved.status();
    interrupted = status.equals("building");
    reason = saved.reason();
  }

  /** Returns the state that must survive a restart of the host. */
  synchronized SavedBuild saved() {
    return new SavedBuild(
        templateId, id, name, List.copyOf(tags), cpuCount, memoryBytes, status, reason);
  }

  /** Returns its id. */
  public String id() {
    return id;
  }

  /** Returns the id of the template to create. */
  public String templateId() {
    return templateId;
  }

  /** Returns that template's name. */
  public String name() {
    return name;
  }

  /** Returns the tags that distinguish it from others of that name, sorted. */
  public List<String> tags() {
    return List.copyOf(tags);
  }

  /** Returns the number of virtual CPUs, or null for that of its source. */
  public @Nullable Integer cpuCount() {
    return cpuCount;
  }

  /** Returns the size of guest memory, or null for that of its source. */
  public @Nullable Long memoryBytes() {
    return memoryBytes;
  }

  /**
   * Begins the build.
   *
   * @throws RametException {@code CONFLICT} when it has begun before
   */
  public synchronized void begin(int howManySteps) {
    if (!status.equals("waiting")) {
      throw new RametException(
          ErrorCode.CONFLICT,
          "build " + id + " was already started: it is " + status,
          "request another build: POST /v3/templates",
          null);
    }
    steps = howManySteps;
    status = "building";
  }

  /** Sets the operation that performs this build. */
  public synchronized void setOperation(Operation doing) {
    operation = doing;
  }

  /** Returns whether it is running. */
  synchronized boolean underWay() {
    return status.equals("building");
  }

  /**
   * Returns whether its host ended while it was running and its outcome has not been determined
   * yet.
   */
  public synchronized boolean interrupted() {
    return interrupted;
  }

  /**
   * Determines the outcome of a build during which the host ended.
   *
   * @param made whether its template exists, which is published at once as the build's last step
   */
  public synchronized void determineOutcome(boolean made) {
    if (!interrupted) {
      return;
    }
    interrupted = false;
    if (made) {
      succeeded();
    } else {
      status = "error";
      reason =
          new BuildStatus.Reason(
              "the host stopped during the build, and nothing of it is left; build again",
              "base",
              List.of());
    }
  }

  /** Marks it as successful. */
  public synchronized void succeeded() {
    String called = name + ":" + String.join(",", tags);
    add("info", "template " + called + " is ready as " + templateId, true);
    status = "ready";
  }

  /** Marks it as failed. */
  public synchronized void failed(ApiError why) {
    String message = why.remedy() == null ? why.message() : why.message() + "; " + why.remedy();
    List<BuildStatus.Entry> last = new ArrayList<>();
    for (int i = entries.size() - 1; i >= 0 && last.size() < LAST; i--) {
      if (entries.get(i).step().equals(step())) {
        last.add(0, entries.get(i));
      }
    }
    reason = new BuildStatus.Reason(message, step(), last);
    status = "error";
  }

  /**
   * Returns state and log.
   *
   * @param offset index of the first log entry to return, from 0
   */
  public synchronized BuildStatus status(int offset) {
    int from = Math.min(offset, entries.size());
    List<BuildStatus.Entry> page =
        List.copyOf(entries.subList(from, Math.min(entries.size(), from + PAGE)));
    return new BuildStatus(
        templateId,
        id,
        status,
        page.stream().map(BuildStatus.Entry::message).toList(),
        page,
        reason);
  }

  @Override
  public synchronized void stepReached(int number) {
    at = number;
  }

  private String step() {
    return at == 0 ? "base" : at > steps ? "finalize" : Integer.toString(at);
  }

  @Override
  public void step(String description) {
    Operation doing;
    String where;
    synchronized (this) {
      boolean ofSteps = at > 0 && at <= steps;
      where = ofSteps ? "step " + at + " of " + steps : description;
      description.lines().limit(LAST).forEach(line -> add("info", label() + line, true));
      doing = operation;
    }
    // The text of a step may be a secret of the builder, and all users can see operations.
    if (doing != null) {
      doing.step(where);
    }
  }

  private String label() {
    return at > 0 && at <= steps ? "[" + at + "/" + steps + "] " : "";
  }

  @Override
  public void output(boolean error, String line) {
    synchronized (this) {
      add(error ? "warn" : "info", line, false);
    }
    heartbeat();
  }

  @Override
  public void heartbeat() {
    Operation doing;
    synchronized (this) {
      doing = operation;
    }
    if (doing != null) {
      doing.checkCancelled();
    }
  }

  private void add(String level, String message, boolean ours) {
    boolean full = entries.size() >= MAX_ENTRIES || characters >= MAX_CHARACTERS;
    if (full && !ours) {
      return;
    }
    characters += message.length();
    entries.add(new BuildStatus.Entry(Instant.now().toString(), level, message, step()));
    boolean fullNow = entries.size() >= MAX_ENTRIES || characters >= MAX_CHARACTERS;
    if (!full && fullNow) {
      entries.add(
          new BuildStatus.Entry(
              Instant.now().toString(),
              "warn",
              "the log is full; further output of commands is dropped",
              step()));
    }
  }
}
