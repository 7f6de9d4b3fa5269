// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The available types of settings. */
final class Types {
  private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  private static final String IPV4 = OCTET + "(\\." + OCTET + "){3}";
  // The engine checks the colons when it parses the address.
  private static final String IPV6 = "[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}";

  static final Type SWITCH = choice("true", "false");
  static final Type ID =
      matching("an id of small letters, digits and dashes", "[a-z][a-z0-9-]{0,31}");
  static final Type IDS = several("ids with commas between", ID);
  static final Type FOLDERS =
      several(
          "names of folders with commas between",
          new Type("", false, value -> value.matches("[^/\\s]+")));
  static final Type ADDRESS = matching("an address or the name of a host", "[A-Za-z0-9.:%_-]+");
  static final Type NAMES = several("names of hosts and addresses with commas between", ADDRESS);
  static final Type NETWORKS =
      several(
          "addresses and networks like 10.0.0.0/8 with commas between",
          matching(
              "",
              IPV4 + "(/([12]?[0-9]|3[0-2]))?|" + IPV6 + "(/([1-9]?[0-9]|1[01][0-9]|12[0-8]))?"));
  static final Type DOMAIN =
      matching("a domain name", "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9-]+)*");
  static final Type URL = matching("an address like http://127.0.0.1:3000", "https?://\\S+");
  static final Type TEXT = new Type("a text", false, value -> true);
  static final Type FILE = new Type("a path", false, Types::isPath);
  static final Type PATHS =
      several(
          "absolute paths with commas between",
          new Type("", false, value -> isPath(value) && Path.of(value).isAbsolute()));
  static final Type DURATION =
      new Type("a time like 500ms, 30s, 2m or PT1M30S", false, Types::isDuration);

  // The format of Micronaut without signs, because no setting of the host is a negative time.
  private static final Pattern SHORT_DURATION = Pattern.compile("[0-9]{1,9}(ns|ms|s|m|h|d)");

  private Types() {}

  /** A whole number in a range. */
  static Type number(long least, long most) {
    String range =
        most == Long.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most;
    return new Type("a whole number " + range, false, value -> isBetween(value, least, most));
  }

  /** A port to listen on. */
  static Type port() {
    return new Type(
        "a port from 1 to 65535, or -1 for any free one",
        false,
        value -> value.equals("-1") || isBetween(value, 1, 65535));
  }

  /** One of several words, in exact spelling. */
  static Type choice(String... words) {
    List<String> all = List.of(words);
    return new Type(oneOf(all), false, all::contains);
  }

  /** One of several constants, shown in capitals and accepted in any case. */
  static Type constant(String... words) {
    List<String> all = List.of(words);
    return new Type(oneOf(all), false, value -> all.contains(value.toUpperCase(Locale.ROOT)));
  }

  private static Type matching(String description, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    return new Type(description, false, value -> compiled.matcher(value).matches());
  }

  private static Type several(String description, Type one) {
    return new Type(description, true, one.rule());
  }

  private static String oneOf(List<String> words) {
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  private static boolean isBetween(String value, long least, long most) {
    try {
      long number = Long.parseLong(value);
      return number >= least && number <= most;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean isPath(String value) {
    try {
      return !Path.of(value).toString().isBlank();
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static boolean isDuration(String value) {
    if (SHORT_DURATION.matcher(value).matches()) {
      return true;
    }
    try {
      return value.startsWith("P") && !Duration.parse(value).isNegative();
    } catch (DateTimeException e) {
      return false;
    }
  }
}
