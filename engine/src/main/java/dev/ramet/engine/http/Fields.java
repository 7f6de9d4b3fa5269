// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The header fields of a message, in their order. Immutable and thread-safe.
 *
 * @param all each of them
 */
public record Fields(List<Field> all) {
  /** So many in one message. */
  public static final int MOST = 256;

  /** Copies the list. */
  public Fields {
    all = List.copyOf(all);
  }

  /** Reads them to the empty line that ends them. */
  static Fields read(Lines lines) throws IOException {
    List<Field> found = new ArrayList<>();
    while (true) {
      String line = lines.next();
      if (line.isEmpty()) {
        return new Fields(found);
      }
      if (line.charAt(0) == ' ' || line.charAt(0) == '\t') {
        throw new BadHttpException("a header field over several lines");
      }
      if (found.size() == MOST) {
        throw new BadHttpException("more than " + MOST + " header fields");
      }
      found.add(Field.parse(line));
    }
  }

  /** The values of a field, in their order. */
  public List<String> values(String name) {
    return all.stream().filter(field -> field.is(name)).map(Field::value).toList();
  }

  /**
   * The value of a field that is there once at most.
   *
   * @return null when it is not there
   */
  public @Nullable String only(String name) throws BadHttpException {
    List<String> values = values(name);
    if (values.size() > 1) {
      throw new BadHttpException(name + " more than once");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  /** The words of a field that is a list, in lower case. */
  public Set<String> words(String name) {
    TreeSet<String> words = new TreeSet<>();
    for (String value : values(name)) {
      Text.list(value).forEach(word -> words.add(word.toLowerCase(Locale.ROOT)));
    }
    return words;
  }

  /** The same without the fields of these names. */
  public Fields without(Set<String> names) {
    return new Fields(all.stream().filter(field -> names.stream().noneMatch(field::is)).toList());
  }

  /** The same with a field in place of those of its name, at the end. */
  public Fields with(String name, String value) {
    List<Field> changed = new ArrayList<>(without(Set.of(name)).all);
    changed.add(new Field(name, value));
    return new Fields(changed);
  }

  /** How the body is delimited that they announce; null when they announce none. */
  @Nullable Framing framing() throws BadHttpException {
    List<String> codings = values("Transfer-Encoding");
    String length = only("Content-Length");
    if (!codings.isEmpty()) {
      if (length != null) {
        throw new BadHttpException("Content-Length beside Transfer-Encoding");
      }
      if (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
        throw new BadHttpException("a Transfer-Encoding other than chunked");
      }
      return Framing.CHUNKED;
    }
    return length == null ? null : Framing.ofLength(length);
  }

  /** A message's head of these, as bytes. */
  byte[] after(String firstLine) {
    return (firstLine + "\r\n" + text()).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** They, and the empty line after them, as bytes. */
  byte[] lines() {
    return text().getBytes(StandardCharsets.ISO_8859_1);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (Field field : all) {
      text.append(field.name()).append(": ").append(field.value()).append("\r\n");
    }
    return text.append("\r\n").toString();
  }
}
