// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The available types of settings. */
public final class SettingTypes {
  private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  private static final String IPV4 = OCTET + "(\\." + OCTET + "){3}";
  // The engine checks the colons when it parses the address.
  private static final String IPV6 = "[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}";

  /** True or false. */
  public static final SettingType<Boolean> SWITCH =
      SettingType.of(
          "true or false",
          text ->
              text.equals("true") || text.equals("false")
                  ? Optional.of(text.equals("true"))
                  : Optional.empty(),
          String::valueOf);

  /** A plugin's id. */
  public static final SettingType<String> ID =
      matching("an id of lower-case letters, digits and dashes", "[a-z][a-z0-9-]{0,31}");

  /** Plugins' ids. */
  public static final SettingType<List<String>> IDS =
      SettingType.listOf("ids separated by commas", ID);

  /** Names of folders. */
  public static final SettingType<List<String>> FOLDERS =
      SettingType.listOf("names of folders separated by commas", matching("", "[^/\\s]+"));

  /** An address or a host name. */
  public static final SettingType<String> ADDRESS =
      matching("an address or a host name", "[A-Za-z0-9.:%_-]+");

  /** Addresses and host names. */
  public static final SettingType<List<String>> NAMES =
      SettingType.listOf("host names and addresses separated by commas", ADDRESS);

  /** Addresses and networks. */
  public static final SettingType<List<String>> NETWORKS =
      SettingType.listOf(
          "addresses and networks like 10.0.0.0/8 separated by commas",
          matching(
              "",
              IPV4 + "(/([12]?[0-9]|3[0-2]))?|" + IPV6 + "(/([1-9]?[0-9]|1[01][0-9]|12[0-8]))?"));

  /** A domain name. */
  public static final SettingType<String> DOMAIN =
      matching("a domain name", "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9-]+)*");

  /** The address of a host's API. */
  public static final SettingType<String> URL =
      matching("an address like http://127.0.0.1:3000", "https?://\\S+");

  /** Any text. */
  public static final SettingType<String> TEXT =
      SettingType.of("text", Optional::of, Function.identity());

  /** A path. */
  public static final SettingType<Path> FILE =
      SettingType.of("a path", SettingTypes::path, Path::toString);

  /** Absolute paths. */
  public static final SettingType<List<Path>> PATHS =
      SettingType.listOf(
          "absolute paths separated by commas",
          SettingType.of("", text -> path(text).filter(Path::isAbsolute), Path::toString));

  /** A time that is not negative. */
  public static final SettingType<Duration> DURATION =
      SettingType.of(
          "a time like 500ms, 30s, 2m or PT1M30S",
          Quantities::time,
          time -> time.toMillisPart() == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms");

  /** A number of bytes of at least 1. */
  public static final SettingType<Long> SIZE =
      SettingType.of(
          "a size like 512M or 4G, or a number of bytes",
          text -> size(text).filter(value -> value >= 1),
          String::valueOf);

  /** A whole number of at least 1. */
  public static final SettingType<Long> AMOUNT =
      SettingType.of(
          "a whole number of at least 1",
          text -> number(text).filter(value -> value >= 1),
          String::valueOf);

  /** A port to listen on. */
  public static final SettingType<Integer> PORT =
      SettingType.of(
          "a port from 1 to 65535, or -1 for any free one",
          text ->
              number(text)
                  .filter(value -> (value >= 1 && value <= 65535) || value == -1)
                  .map(Long::intValue),
          String::valueOf);

  private SettingTypes() {}

  /** A whole number in a range. */
  public static SettingType<Integer> number(int least, int most) {
    return SettingType.of(
        "a whole number from " + least + " to " + most,
        text -> number(text).filter(value -> value >= least && value <= most).map(Long::intValue),
        String::valueOf);
  }

  /** One of several words, in exact spelling. */
  public static SettingType<String> choice(String... words) {
    List<String> all = List.of(words);
    return SettingType.of(
        oneOf(all), text -> Optional.of(text).filter(all::contains), Function.identity());
  }

  /** One of an enumeration's constants, accepted in any case. */
  public static <E extends Enum<E>> SettingType<E> constant(Class<E> type) {
    List<E> all = List.of(type.getEnumConstants());
    return SettingType.of(
        oneOf(all.stream().map(Enum::name).toList()),
        text ->
            all.stream().filter(one -> one.name().equals(text.toUpperCase(Locale.ROOT))).findAny(),
        Enum::name);
  }

  private static SettingType<String> matching(String description, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    return SettingType.of(
        description,
        text -> Optional.of(text).filter(one -> compiled.matcher(one).matches()),
        Function.identity());
  }

  private static String oneOf(List<String> words) {
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  private static Optional<Long> number(String text) {
    try {
      return Optional.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Long> size(String text) {
    OptionalLong bytes = Quantities.bytes(text, 1);
    return bytes.isPresent() ? Optional.of(bytes.getAsLong()) : Optional.empty();
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text)).filter(path -> text.isEmpty() || !text.isBlank());
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
