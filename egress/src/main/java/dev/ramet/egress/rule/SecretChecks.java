// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The bounds of what is kept of a secret. No refusal tells a value. */
public final class SecretChecks {
  private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,64}");
  private static final int MAX_CHARACTERS = 8192;
  private static final int MAX_PAIRS = 32;
  private static final int MAX_KEY_BYTES = 128;
  private static final int MAX_VALUE_BYTES = 1024;
  private static final int MAX_METADATA_BYTES = 8192;

  private SecretChecks() {}

  /** The name in the form that is kept. */
  public static String name(String name) {
    String canonical = name.toLowerCase(Locale.ROOT);
    if (!NAME.matcher(canonical).matches()) {
      throw RametException.invalid("name", "must be 1 to 64 characters of A-Z a-z 0-9 . _ -");
    }
    if (canonical.startsWith(Secrets.ID_PREFIX)) {
      throw RametException.invalid(
          "name", "must not begin with " + Secrets.ID_PREFIX + ", like ids");
    }
    return canonical;
  }

  public static void value(String value) {
    if (value.isEmpty() || value.length() > MAX_CHARACTERS) {
      throw RametException.invalid("value", "must have 1 to " + MAX_CHARACTERS + " characters");
    }
    if (!HeaderSyntax.isValidValue(value)) {
      throw RametException.invalid(
          "value",
          "must be visible ASCII characters, spaces and tabs without line breaks, because it"
              + " becomes part of a header");
    }
  }

  public static void metadata(Map<String, @Nullable String> metadata) {
    if (metadata.size() > MAX_PAIRS) {
      throw RametException.invalid("metadata", "at most " + MAX_PAIRS + " entries");
    }
    int total = 0;
    for (Map.Entry<String, @Nullable String> pair : metadata.entrySet()) {
      String value = pair.getValue();
      if (value == null) {
        throw RametException.invalid("metadata." + pair.getKey(), "must be a string");
      }
      int keyBytes = bytes(pair.getKey());
      int valueBytes = bytes(value);
      if (keyBytes == 0 || keyBytes > MAX_KEY_BYTES || valueBytes > MAX_VALUE_BYTES) {
        throw RametException.invalid(
            "metadata",
            "keys must have 1 to " + MAX_KEY_BYTES + " bytes, values at most " + MAX_VALUE_BYTES);
      }
      total += keyBytes + valueBytes;
    }
    if (total > MAX_METADATA_BYTES) {
      throw RametException.invalid("metadata", "at most " + MAX_METADATA_BYTES + " bytes in all");
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
