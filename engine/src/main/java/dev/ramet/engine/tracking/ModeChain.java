// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.ModeRefusal;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The memory modes that one capture may try, best first, and why those it passed over were of no
 * use. Used by one thread.
 */
public final class ModeChain {
  private static final System.Logger LOG = System.getLogger(ModeChain.class.getName());

  /** Modes that select relative to the previous capture. */
  static final List<String> TRACKING = List.of("write-tracking", "soft-dirty");

  private final List<String> order;
  private final Deque<String> left = new ArrayDeque<>();
  private final Map<String, ModeRefusal> refusals = new HashMap<>();
  private final @Nullable String forcedBy;

  private ModeChain(List<String> order, @Nullable String forcedBy) {
    this.order = order;
    this.forcedBy = forcedBy;
    this.left.addAll(order);
  }

  /**
   * All modes that may be tried, best first.
   *
   * @param obstacles what makes some of them useless from the start, by id
   * @throws RametException {@code UNSUPPORTED} when nothing may be tried
   */
  static ModeChain of(List<String> order, Map<String, ModeRefusal> obstacles) {
    ModeChain chain = new ModeChain(order, null);
    chain.refusals.putAll(obstacles);
    chain.left.removeIf(obstacles::containsKey);
    if (chain.left.isEmpty()) {
      throw new RametException(ErrorCode.UNSUPPORTED, "no memory mode works: " + chain.reasons());
    }
    return chain;
  }

  /**
   * Only this mode.
   *
   * @param by who wants it so, as a part of a sentence
   * @param obstacle what makes it useless from the start, or null
   * @param remedy what to do about that, or null
   * @throws RametException {@code UNSUPPORTED} when there is such an obstacle
   */
  static ModeChain forced(
      String id, String by, @Nullable ModeRefusal obstacle, @Nullable String remedy) {
    ModeChain chain = new ModeChain(List.of(id), by);
    if (obstacle != null) {
      chain.refused(obstacle.detail(), obstacle.cause());
      throw chain.cannot(id, obstacle.detail(), remedy, null);
    }
    return chain;
  }

  private void refused(String why, ModeRefusal.Cause cause) {
    String id = left.remove();
    refusals.put(id, new ModeRefusal(id, cause, why));
  }

  /** A forced mode that cannot do it: it can be made to, or given up. */
  private RametException cannot(
      String id, String why, @Nullable String remedy, @Nullable RametException failure) {
    String instead = "do not force a memory mode; another one is then chosen";
    return new RametException(
        ErrorCode.UNSUPPORTED,
        "memory mode " + id + " is " + forcedBy + " but cannot work for this capture: " + why,
        remedy == null || remedy.isBlank() ? instead : remedy + "; or " + instead,
        failure);
  }

  /** The mode to try now. */
  public String current() {
    return left.element();
  }

  /**
   * The current mode is of no use for this capture.
   *
   * @param why the reason as the manifest shall have it
   * @param cause what kind of reason that is
   * @param failure what was thrown, or null
   * @param continued whether it had a tracker from an earlier capture: what that one knew is lost,
   *     so the capture is taken relative to the restore image, without starting to track anew
   *     inside of it
   * @throws RametException when nothing else may be tried
   */
  public void refused(
      String why, ModeRefusal.Cause cause, @Nullable RametException failure, boolean continued) {
    String id = current();
    refused(why, cause);
    if (forcedBy != null) {
      if (continued) {
        left.add(id); // Works without its past.
        return;
      }
      throw cannot(id, why, failure == null ? null : failure.remedy(), failure);
    }
    if (continued) {
      left.removeIf(TRACKING::contains);
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
   * The current mode works, but not from the machine's previous capture. Of no interest for a mode
   * that never does.
   */
  public void beginsAnew(TrackingGap gap) {
    String id = current();
    if (TRACKING.contains(id)) {
      refusals.put(id, new ModeRefusal(id, gap.cause(), gap.detail()));
      LOG.log(System.Logger.Level.INFO, "memory mode {0} begins anew: {1}", id, gap.detail());
    }
  }

  /** Why the current mode is the one, and why no better one: the whole chain. */
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
   * What was of no use and would have gone before the current mode, best first; and last the
   * current one, if it had to do without the previous capture.
   */
  public List<ModeRefusal> passedOver() {
    return order.stream()
        .takeWhile(id -> forcedBy != null || isUpToCurrent(id))
        .map(refusals::get)
        .filter(Objects::nonNull)
        .toList();
  }

  private boolean isUpToCurrent(String id) {
    String current = left.peek();
    return current == null || order.indexOf(id) <= order.indexOf(current);
  }
}
