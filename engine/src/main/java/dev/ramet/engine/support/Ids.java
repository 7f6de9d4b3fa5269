// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.support;

import dev.ramet.errors.RametException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Creates ids of sandboxes, snapshots and templates, and checks names that people choose. */
public final class Ids {
  private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
  private static final int RANDOM_CHARACTERS = 19;
  private static final int SECRET_BYTES = 32;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /**
   * A label of a host name (RFC 1123, 2.1), short enough that a port and a hyphen fit before it.
   */
  private static final Pattern HOST_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,55}[a-z0-9])?");

  private static final Pattern OWN = Pattern.compile("[a-z][0-9a-z]{19}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private Ids() {}

  /**
   * Returns a new id: a letter that shows people the kind, then 98 random bits. Usable as a host
   * name.
   */
  public static String newId(char kind) {
    StringBuilder id = new StringBuilder().append(kind);
    for (int i = 0; i < RANDOM_CHARACTERS; i++) {
      id.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
    }
    return id.toString();
  }

  /**
   * Returns whether a text is such an id. Other entries in a directory of ids were not made by
   * Ramet.
   */
  public static boolean isId(String text) {
    return OWN.matcher(text).matches();
  }

  /** Returns a new secret: 256 random bits in hexadecimal. */
  public static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * Checks the name of a sandbox, which stands wherever its id may stand, also in host names, and
   * returns it.
   *
   * @param field the field's name for the error
   */
  public static String checkSandboxName(String field, String name) {
    if (!HOST_LABEL.matcher(name).matches()) {
      throw RametException.invalid(
          field,
          "must be 1 to 57 characters of a-z 0-9 -, with no hyphen at either end, because it is"
              + " used in host names");
    }
    if (isId(name)) {
      throw RametException.invalid(field, "has the form of an id");
    }
    return name;
  }

  /**
   * Checks a name that a person chose, and returns it.
   *
   * @param field the field's name for the error
   */
  public static String checkName(String field, String name) {
    if (!NAME.matcher(name).matches()) {
      throw RametException.invalid(field, "must be 1 to 64 characters of A-Z a-z 0-9 . _ -");
    }
    return name;
  }
}
