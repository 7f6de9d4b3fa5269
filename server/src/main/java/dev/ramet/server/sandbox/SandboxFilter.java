// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Builds the filter of a sandbox list from its query. Thread-safe. */
final class SandboxFilter {
  private SandboxFilter() {}

  /**
   * Returns the filter.
   *
   * @param states names joined by commas, or null for all
   * @param metadata pairs that must all match, as {@code key=value} joined by {@code &}, each key
   *     and value URL-encoded up to twice within the decoded parameter, as clients of the E2B
   *     protocol do; or null
   * @param template id or name of the template or snapshot they were created from, or null
   * @param startedAfter RFC 3339 time, or null
   */
  static Predicate<Sandbox> parse(
      @Nullable String states,
      @Nullable String metadata,
      @Nullable String template,
      @Nullable String startedAfter) {
    List<Predicate<Sandbox>> all = new ArrayList<>();
    if (states != null && !states.isEmpty()) {
      Set<Sandbox.State> wanted = states(states);
      all.add(s -> wanted.contains(s.state()));
    }
    if (metadata != null && !metadata.isEmpty()) {
      List<Map.Entry<String, String>> wanted = metadata(metadata);
      all.add(
          s -> wanted.stream().allMatch(e -> e.getValue().equals(s.metadata().get(e.getKey()))));
    }
    if (template != null && !template.isEmpty()) {
      all.add(s -> s.templateId().equals(template) || template.equals(s.templateName()));
    }
    if (startedAfter != null && !startedAfter.isEmpty()) {
      Instant bound = time(startedAfter);
      all.add(s -> s.startedAt().isAfter(bound));
    }
    return s -> all.stream().allMatch(p -> p.test(s));
  }

  /**
   * Returns a filter by labels.
   *
   * @param labels labels that must all match, as {@code key=value}, or {@code key} for any value
   */
  static Predicate<Sandbox> labels(List<String> labels) {
    List<Predicate<Sandbox>> all = new ArrayList<>();
    for (String label : labels) {
      int equals = label.indexOf('=');
      String key = equals < 0 ? label : label.substring(0, equals);
      if (key.isEmpty()) {
        throw RametException.invalid("label", "must be key=value, or key");
      }
      all.add(
          s ->
              equals < 0
                  ? s.metadata().containsKey(key)
                  : label.substring(equals + 1).equals(s.metadata().get(key)));
    }
    return s -> all.stream().allMatch(p -> p.test(s));
  }

  private static Set<Sandbox.State> states(String names) {
    Set<Sandbox.State> states = new HashSet<>();
    for (String name : names.split(",", -1)) {
      try {
        states.add(Sandbox.State.valueOf(name.trim().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            "state: must be creating, running, paused or failed, joined by commas, not " + name,
            e);
      }
    }
    return states;
  }

  private static List<Map.Entry<String, String>> metadata(String encoded) {
    List<Map.Entry<String, String>> pairs = new ArrayList<>();
    for (String pair : encoded.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 0) {
        throw RametException.invalid("metadata", "must be key=value pairs joined by &");
      }
      pairs.add(Map.entry(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1))));
    }
    return pairs;
  }

  private static String decode(String encoded) {
    try {
      String once = decodePercent(encoded);
      // A client that encodes once less sends plain text here; a single % in it is not an escape.
      return once.indexOf('%') < 0 ? once : decodePercent(once);
    } catch (IllegalArgumentException e) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, "metadata: is not URL-encoded", e);
    }
  }

  private static String decodePercent(String encoded) {
    // URLDecoder is for forms, where + means a space; here it means itself.
    return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static Instant time(String text) {
    try {
      return java.time.OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "startedAfter: must be an RFC 3339 time", e);
    }
  }
}
