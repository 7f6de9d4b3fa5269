// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the fields of requests. Every refusal is {@code INVALID_ARGUMENT} and names the field,
 * except that an ill-formed reference is {@code NOT_FOUND}. Thread-safe.
 */
public final class FieldValidation {
  public static final int DEFAULT_FORK_TIMEOUT_SECONDS = 15;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final long MIB = 1024 * 1024;
  private static final int MAX_TAGS = 1000;

  private FieldValidation() {}

  public static boolean isName(String name) {
    return NAME.matcher(name).matches() && !name.equals(".") && !name.equals("..");
  }

  /** Checks the name of a new object. */
  public static String name(String field, String name) {
    if (!isName(name)) {
      throw RametException.invalid(field, "must match [A-Za-z0-9._-]{1,64}");
    }
    return name;
  }

  /** Checks a name, optionally followed by a colon and a tag. */
  public static String tagged(String field, String name) {
    if (!isReference(name)) {
      throw RametException.invalid(
          field, "must match [A-Za-z0-9._-]{1,64}, optionally followed by :TAG of the same form");
    }
    return name;
  }

  /** Checks a name with an optional tag; null is allowed. */
  public static @Nullable String optionalTagged(String field, @Nullable String name) {
    return name == null ? null : tagged(field, name);
  }

  /** Checks tags and removes duplicates; returns an empty list where the list is missing. */
  public static List<String> tags(String field, @Nullable List<String> tags) {
    if (tags == null) {
      return List.of();
    }
    if (tags.size() > MAX_TAGS) {
      throw RametException.invalid(field, "must be at most " + MAX_TAGS);
    }
    for (int i = 0; i < tags.size(); i++) {
      String tag = tags.get(i);
      if (tag == null) {
        throw RametException.invalid(field + "[" + i + "]", "must be a string");
      }
      name(field + "[" + i + "]", tag);
    }
    return tags.stream().distinct().toList();
  }

  public static String required(String field, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      throw RametException.invalid(field, "is required");
    }
    return value;
  }

  /** Checks the id of a sandbox in a path. */
  public static String sandboxId(String id) {
    if (!isName(id)) {
      throw RametException.notFound("sandbox", id);
    }
    return id;
  }

  /** Checks an id or name of a template or snapshot, optionally followed by a colon and a tag. */
  public static String reference(String kind, String reference) {
    if (!isReference(reference)) {
      throw RametException.notFound(kind, reference);
    }
    return reference;
  }

  public static boolean isReference(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? isName(text)
        : isName(text.substring(0, colon)) && isName(text.substring(colon + 1));
  }

  public static @Nullable Integer range(
      String field, @Nullable Integer value, int least, int most) {
    if (value != null && (value < least || value > most)) {
      throw RametException.invalid(
          field, "must be from " + least + " to " + most + ", not " + value);
    }
    return value;
  }

  public static @Nullable Integer cpuCount(@Nullable Integer value) {
    return range("cpuCount", value, 1, 32);
  }

  /** Returns the size of guest memory in bytes. */
  public static @Nullable Long memoryBytes(@Nullable Integer mebibytes) {
    range("memoryMB", mebibytes, 64, 1024 * 1024);
    return mebibytes == null ? null : mebibytes * MIB;
  }

  /** Returns the size of a disk in bytes. */
  public static @Nullable Long diskBytes(@Nullable Integer mebibytes) {
    range("diskSizeMB", mebibytes, 16, 1024 * 1024);
    return mebibytes == null ? null : mebibytes * MIB;
  }

  /** Returns a timeout given in seconds; -1 means never and gives null. */
  public static @Nullable Duration timeout(String field, @Nullable Integer seconds, int otherwise) {
    int value = seconds == null ? otherwise : seconds;
    if (value < -1) {
      throw RametException.invalid(field, "must be seconds, or -1 for never, not " + value);
    }
    return value == -1 ? null : Duration.ofSeconds(value);
  }

  /** Returns a flag of a query: absent is false, present without a value is true. */
  public static boolean flag(String field, @Nullable String value) {
    return flag(field, value, false);
  }

  /** Returns a flag of a query, with a given value if it is absent. */
  public static boolean flag(String field, @Nullable String value, boolean otherwise) {
    if (value == null) {
      return otherwise;
    }
    if (value.equals("false")) {
      return false;
    }
    if (value.isEmpty() || value.equals("true")) {
      return true;
    }
    throw RametException.invalid(field, "must be true or false");
  }

  public static Map<String, String> strings(String field, @Nullable Map<String, String> map) {
    if (map == null) {
      return Map.of();
    }
    map.forEach(
        (key, value) -> {
          if (value == null) {
            throw RametException.invalid(field + "." + key, "must be a string");
          }
        });
    return map;
  }

  /** Checks the environment of a process, within the limits of execve(2). */
  public static Map<String, String> environment(String field, @Nullable Map<String, String> map) {
    strings(field, map)
        .forEach(
            (key, value) -> {
              if (key.isEmpty() || key.indexOf('=') >= 0 || key.indexOf(0) >= 0) {
                throw RametException.invalid(
                    field,
                    "the name of a variable must not be empty and must not contain = or NUL");
              }
              if (value.indexOf(0) >= 0) {
                throw RametException.invalid(field + "." + key, "must not contain NUL");
              }
            });
    return map == null ? Map.of() : map;
  }

  public static Path absolutePath(String field, @Nullable String path) {
    try {
      Path parsed = Path.of(required(field, path));
      if (parsed.isAbsolute()) {
        return parsed.normalize();
      }
    } catch (InvalidPathException e) {
      throw new RametException(ErrorCode.INVALID_ARGUMENT, field + ": is not a path", e);
    }
    throw RametException.invalid(field, "must be an absolute path on the host");
  }
}
