// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message as a client or a server in a test reads it.
 *
 * @param words of the first line
 * @param fields header lines
 */
record HttpText(List<String> words, List<String> fields) {
  /** Reads a head; null when the connection ends before it. */
  static @Nullable HttpText read(InputStream in) throws IOException {
    String first = line(in);
    if (first.isEmpty()) {
      return null;
    }
    List<String> fields = new ArrayList<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      fields.add(line);
    }
    return new HttpText(List.of(first.split(" ", 3)), fields);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  String target() {
    return words.get(1);
  }

  int status() {
    return Integer.parseInt(words.get(1));
  }

  List<String> values(String name) {
    return fields.stream()
        .filter(line -> line.regionMatches(true, 0, name + ": ", 0, name.length() + 2))
        .map(line -> line.substring(name.length() + 2))
        .toList();
  }

  /** The body that the head announces, without its chunks. */
  byte[] body(InputStream in) throws IOException {
    List<String> length = values("Content-Length");
    if (!length.isEmpty()) {
      return in.readNBytes(Integer.parseInt(length.get(0)));
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (!values("Transfer-Encoding").isEmpty()) {
      int size;
      do {
        size = Integer.parseInt(line(in), 16);
        body.write(in.readNBytes(size));
        line(in);
      } while (size > 0);
    }
    return body.toByteArray();
  }

  String text(InputStream in) throws IOException {
    return new String(body(in), StandardCharsets.UTF_8);
  }
}
