// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which headers the host puts into a guest's HTTP requests, by the host they are addressed to: a
 * name, or {@code *.example.org} for every name below it, at any depth. An exact name takes
 * precedence over patterns, a longer pattern over a shorter one, and only the best match applies.
 * Values may refer to secrets as <code>${e2b.secrets.NAME}</code>, and never contain the secrets
 * themselves. Immutable and thread-safe.
 *
 * @param byHost headers by lower-case host; later maps in a list override earlier ones
 */
public record RequestRules(Map<String, List<Map<String, String>>> byHost) {
  /** No rules. */
  public static final RequestRules NONE = new RequestRules(Map.of());

  /** The largest number of hosts, and of headers for each host. */
  public static final int MAX = 64;

  private static final int MAX_CHARACTERS = 8192;
  private static final String FIELD = "network.rules";

  /** Copies the maps, keeping their order. */
  public RequestRules {
    Map<String, List<Map<String, String>>> copy = new LinkedHashMap<>();
    byHost.forEach(
        (host, rules) -> copy.put(host, rules.stream().map(RequestRules::copy).toList()));
    byHost = Collections.unmodifiableMap(copy);
  }

  private static Map<String, String> copy(Map<String, String> headers) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  /**
   * Creates rules from the values of a request.
   *
   * @param asked headers by host, or null for none
   * @throws RametException {@code INVALID_ARGUMENT} that names the invalid value; {@code
   *     UNSUPPORTED} for references to identities
   */
  public static RequestRules parse(
      @Nullable Map<String, ? extends List<? extends Map<String, @Nullable String>>> asked) {
    if (asked == null || asked.isEmpty()) {
      return NONE;
    }
    if (asked.size() > MAX) {
      throw RametException.invalid(FIELD, "at most " + MAX + " hosts");
    }
    Map<String, List<Map<String, String>>> checked = new LinkedHashMap<>();
    asked.forEach(
        (host, rules) -> {
          String where = FIELD + "[\"" + host + "\"]";
          if (checked.put(host(where, host), headers(where, rules)) != null) {
            throw RametException.invalid(where, "is given twice, apart from case");
          }
        });
    return new RequestRules(checked);
  }

  private static String host(String where, String host) {
    try {
      return HostPatterns.pattern(host);
    } catch (IllegalArgumentException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          where + ": must be a host name, optionally after *.",
          "these rules match host names, not addresses",
          null);
    }
  }

  private static List<Map<String, String>> headers(
      String where, List<? extends Map<String, @Nullable String>> rules) {
    List<Map<String, String>> checked = new ArrayList<>();
    int count = 0;
    for (int i = 0; i < rules.size(); i++) {
      String field = where + "[" + i + "].transform.headers";
      Map<String, String> headers = new LinkedHashMap<>();
      Set<String> names = new TreeSet<>();
      for (Map.Entry<String, @Nullable String> header : rules.get(i).entrySet()) {
        String name = header.getKey();
        check(field, name, header.getValue());
        if (!names.add(name.toLowerCase(Locale.ROOT))) {
          throw RametException.invalid(field + "." + name, "is given twice, apart from case");
        }
        headers.put(name, String.valueOf(header.getValue()));
      }
      count += Math.max(1, headers.size());
      if (count > MAX) {
        throw RametException.invalid(where, "at most " + MAX + " headers");
      }
      checked.add(headers);
    }
    return checked;
  }

  private static void check(String field, String name, @Nullable String value) {
    if (!HeaderSyntax.isValidName(name)) {
      throw RametException.invalid(field, "a header name must be an HTTP token, such as X-Api-Key");
    }
    String where = field + "." + name;
    if (HeaderSyntax.isConnectionHeader(name)) {
      throw RametException.invalid(where, "belongs to the connection and cannot be set");
    }
    if (value == null) {
      throw RametException.invalid(where, "must be a string");
    }
    if (value.length() > MAX_CHARACTERS || !HeaderSyntax.isValidValue(value)) {
      throw RametException.invalid(
          where,
          "must be at most "
              + MAX_CHARACTERS
              + " visible ASCII characters, spaces and tabs, without line breaks");
    }
    var unused = Placeholders.referencedSecrets(where, value);
  }

  /** Returns whether there are no rules. */
  public boolean isEmpty() {
    return byHost.isEmpty();
  }

  /**
   * Returns the secrets that values refer to, by id or name, each with the field that refers to it.
   */
  public Map<String, String> secrets() {
    Map<String, String> found = new TreeMap<>();
    byHost.forEach(
        (host, rules) ->
            rules.forEach(
                headers ->
                    headers.forEach(
                        (name, value) -> {
                          String where = FIELD + "[\"" + host + "\"]: " + name;
                          Placeholders.referencedSecrets(where, value)
                              .forEach(secret -> found.put(secret, where));
                        })));
    return found;
  }

  /**
   * Refuses rules that refer to secrets that do not exist.
   *
   * @throws RametException {@code INVALID_ARGUMENT} that names one of them
   */
  public void check(Secrets secrets) {
    secrets()
        .forEach(
            (secret, where) -> {
              try {
                secrets.get(secret);
              } catch (RametException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                  throw e;
                }
                throw new RametException(
                    ErrorCode.INVALID_ARGUMENT,
                    where + ": there is no secret " + secret,
                    "create it first: ramet secret create NAME, or POST /secrets",
                    null);
              }
            });
  }

  /**
   * Returns the headers for requests to a host, or null when there are none.
   *
   * @param name the host name in lower case, without a trailing dot
   */
  public @Nullable Map<String, String> headers(String name) {
    List<Map<String, String>> rules = byHost.get(name);
    for (int dot = name.indexOf('.'); rules == null && dot >= 0; dot = name.indexOf('.', dot + 1)) {
      rules = byHost.get("*" + name.substring(dot));
    }
    if (rules == null) {
      return null;
    }
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map<String, String> headers : rules) {
      headers.forEach(
          (header, value) -> {
            all.remove(header);
            all.put(header, value);
          });
    }
    return all.isEmpty() ? null : all;
  }
}
