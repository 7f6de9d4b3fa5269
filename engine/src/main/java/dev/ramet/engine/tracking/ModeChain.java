// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.snapshots.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The memory modes that one capture may try, best first, and the reasons why earlier ones were
 * passed over. Used by one thread.
 */
public final class ModeChain {
  private static final System.Logger LOG = System.getLogger(ModeChain.class.getName());

  private final List<String> order;
  private final Set<String> tracking;
  private final Deque<String> left = new ArrayDeque<>();
  private final Map<String, ModeRefusal> refusals = new HashMap<>();
  private final @Nullable String forcedBy;

  private ModeChain(List<String> order, Set<String> tracking, @Nullable String forcedBy) {
    this.order = order;
    this.tracking = Set.copyOf(tracking);
    this.forcedBy = forcedBy;
    this.left.addAll(order);
  }

  /**
   * Creates a chain of several modes.
   *
   * @param order the modes that may be tried, best first
   * @param tracking those that can select pages relative to the previous capture
   * @param obstacles the reasons why some of them cannot be used, by id
   * @throws RametException {@code UNSUPPORTED} when no mode may be tried
   */
  static ModeChain ofModes(
      List<String> order, Set<String> tracking, Map<String, ModeRefusal> obstacles) {
    ModeChain chain = new ModeChain(order, tracking, null);
    chain.refusals.putAll(obstacles);
    chain.left.removeIf(obstacles::containsKey);
    if (chain.left.isEmpty()) {
      throw new RametException(ErrorCode.UNSUPPORTED, "no memory mode works: " + chain.reasons());
    }
    return chain;
  }

  /**
   * Creates a chain of one forced mode.
   *
   * @param tracks whether it can select pages relative to the previous capture
   * @param by who forces the mode, as part of a sentence
   * @param obstacle why the mode cannot be used, or null
   * @param remedy what the operator can do about the obstacle, or null
   * @throws RametException {@code UNSUPPORTED} when there is an obstacle
   */
  static ModeChain ofForced(
      String id,
      boolean tracks,
      String by,
      @Nullable ModeRefusal obstacle,
      @Nullable String remedy) {
    ModeChain chain = new ModeChain(List.of(id), tracks ? Set.of(id) : Set.of(), by);
    if (obstacle != null) {
      chain.rejectCurrent(obstacle.detail(), obstacle.cause());
      throw chain.forcedModeError(id, obstacle.detail(), remedy, null);
    }
    return chain;
  }

  private void rejectCurrent(String why, ModeRefusal.Cause cause) {
    String id = left.remove();
    refusals.put(id, new ModeRefusal(id, cause, why));
  }

  /**
   * Returns the error for a forced mode that cannot be used; its remedy is to make the mode work or
   * to stop forcing it.
   */
  private RametException forcedModeError(
      String id, String why, @Nullable String remedy, @Nullable RametException failure) {
    String instead = "do not force a memory mode, so that another one is chosen";
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "memory mode " + id + " is " + forcedBy + " but cannot work for this capture: " + why,
        remedy == null || remedy.isBlank() ? instead : remedy + "; or " + instead,
        failure);
  }

  /** Returns the id of the mode to try now. */
  public String current() {
    return left.element();
  }

  /**
   * Records that the current mode cannot be used for this capture, and moves to the next one.
   *
   * @param why the reason, as the manifest will record it
   * @param cause the kind of reason
   * @param failure the exception, or null
   * @param continued whether the mode had a tracker from an earlier capture. That tracker's
   *     knowledge is lost, so the capture is taken relative to the restore image, and no new
   *     tracking starts during it
   * @throws RametException when no other mode may be tried
   */
  public void rejectCurrent(
      String why, ModeRefusal.Cause cause, @Nullable RametException failure, boolean continued) {
    String id = current();
    rejectCurrent(why, cause);
    if (forcedBy != null) {
      if (continued) {
        left.add(id); // It still works without the earlier tracker.
        return;
      }
      throw forcedModeError(id, why, failure == null ? null : failure.remedy(), failure);
    }
    if (continued) {
      left.removeIf(tracking::contains);
    }
    if (left.isEmpty()) {
      throw failure == null
          ? new RametException(ErrorCode.UNSUPPORTED, "no memory mode works: " + reasons())
          : failure;
    }
    LOG.log(
        System.Logger.Level.INFO, "memory mode {0} instead of {1}: {2}", left.element(), id, why);
  }

  /**
   * Records that the current mode works, but cannot continue from the machine's previous capture.
   * Ignored for modes that never do.
   */
  public void recordGap(TrackingGap gap) {
    String id = current();
    if (tracking.contains(id)) {
      refusals.put(id, new ModeRefusal(id, gap.cause(), gap.detail()));
      LOG.log(System.Logger.Level.INFO, "memory mode {0} starts over: {1}", id, gap.detail());
    }
  }

  /** Returns why the current mode was used and why each preferred one was not. */
  public String reason(String what) {
    String passedOver = reasons();
    String all = passedOver.isEmpty() ? what : passedOver + "; " + current() + ": " + what;
    return forcedBy == null ? all : forcedBy + "; " + all;
  }

  private String reasons() {
    return passedOver().stream()
        .map(refusal -> refusal.mode() + ": " + refusal.detail())
        .collect(Collectors.joining("; "));
  }

  /**
   * Returns the modes that were preferred to the current one but could not be used, best first,
   * followed by the current one if it could not continue from the previous capture.
   */
  public List<ModeRefusal> passedOver() {
    return order.stream()
        .takeWhile(id -> forcedBy != null || isTriedOrCurrent(id))
        .map(refusals::get)
        .filter(Objects::nonNull)
        .toList();
  }

  private boolean isTriedOrCurrent(String id) {
    String current = left.peek();
    return current == null || order.indexOf(id) <= order.indexOf(current);
  }
}
