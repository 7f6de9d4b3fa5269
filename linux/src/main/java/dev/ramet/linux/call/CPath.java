// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.call;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Converts paths to C strings. */
public final class CPath {
  /**
   * The charset that the JDK itself encodes paths with. Since JDK 18 it can differ from the default
   * charset, and two encodings would mean two different files.
   */
  public static final Charset CHARSET =
      Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

  private CPath() {}

  public static byte[] encode(Path path) {
    byte[] bytes = path.toString().getBytes(CHARSET);
    return Arrays.copyOf(bytes, bytes.length + 1);
  }
}
