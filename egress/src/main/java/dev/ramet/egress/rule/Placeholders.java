// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * References to secrets in texts: <code>${e2b.secrets.NAME}</code>, as E2B's library forms them.
 */
public final class Placeholders {
  private static final Pattern ANY = Pattern.compile("\\$\\{e2b\\.([^{}]*)(}?)");
  private static final String SECRETS = "secrets.";
  private static final String IDENTITY = "identity.";

  private Placeholders() {}

  /**
   * The secrets that a text refers to.
   *
   * @param field what to call the text in an error
   * @return ids and names, as they are written
   * @throws RametException {@code INVALID_ARGUMENT} for a reference to nothing that there can be,
   *     {@code UNSUPPORTED} for one to an identity
   */
  public static List<String> referencedSecrets(String field, String text) {
    return ANY.matcher(text).results().map(found -> requireKnownForm(field, found)).toList();
  }

  private static String requireKnownForm(String field, java.util.regex.MatchResult found) {
    String what = found.group(1);
    if (what.startsWith(IDENTITY)) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          field + ": this host issues no sandbox identities",
          "store a token as a secret and refer to it by ${e2b.secrets.NAME}",
          null);
    }
    if (!what.startsWith(SECRETS)
        || what.length() == SECRETS.length()
        || found.group(2).isEmpty()) {
      throw RametException.invalid(
          field, "a reference that begins with ${e2b. must be ${e2b.secrets.NAME}");
    }
    return what.substring(SECRETS.length());
  }

  /**
   * The text with values in place of references to secrets.
   *
   * @param value of a secret, or null when there is none
   * @throws MissingSecretException with the name of a secret that is not there
   */
  public static String substitute(String text, Function<String, @Nullable String> value)
      throws MissingSecretException {
    Matcher matcher = ANY.matcher(text);
    StringBuilder filled = new StringBuilder();
    int from = 0;
    while (matcher.find()) {
      String name = matcher.group(1).substring(SECRETS.length());
      String found = value.apply(name);
      if (found == null) {
        throw new MissingSecretException(name);
      }
      filled.append(text, from, matcher.start()).append(found);
      from = matcher.end();
    }
    return filled.append(text, from, text.length()).toString();
  }
}
