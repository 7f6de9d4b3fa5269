// SPDX-License-Identifier: Apache-2.0
package dev.ramet.keys;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The file of the local key, which belongs to the administrators of this machine. Only its owner
 * can read it. Thread-safe.
 */
public final class LocalKeyFile {
  /** Its name within a data root. */
  public static final String NAME = "local.key";

  private static final Pattern KEY = Pattern.compile("e2b_[0-9a-f]{40}");

  private LocalKeyFile() {}

  /**
   * Reads the key of a data root.
   *
   * @throws RametException {@code NOT_FOUND} when there is none, {@code FORBIDDEN} when this user
   *     may not read it, {@code CORRUPT} when the file holds something else
   */
  public static String read(Path file) {
    try {
      String key = Files.readString(file, StandardCharsets.US_ASCII).strip();
      if (KEY.matcher(key).matches()) {
        return key;
      }
      throw new RametException(
          ErrorCode.CORRUPT,
          "there is no key in " + file,
          "remove the file and restart the host, which creates a new one",
          null);
    } catch (NoSuchFileException e) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "there is no local key here, or this user may not read it: " + file,
          "start the host once (ramet serve) and run this as the host's user; --data-root"
              + " selects another data root",
          e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.FORBIDDEN,
          "cannot read " + file,
          "run this as the host's user, or have somebody create a key for you: ramet key create"
              + " NAME",
          e);
    }
  }

  /** Creates a key; the file's directory must exist. */
  public static void create(Path file) throws IOException {
    byte[] key = (KeyDigests.newKey() + "\n").getBytes(StandardCharsets.US_ASCII);
    AtomicFile.write(file, key, AtomicFile.OWNER_ONLY);
  }
}
