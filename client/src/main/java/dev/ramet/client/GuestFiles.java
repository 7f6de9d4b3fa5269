// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads and writes the files of a sandbox. Relative paths begin at the user's home. Thread-safe.
 */
public final class GuestFiles {
  private final Guest guest;
  private final Http http;

  GuestFiles(Guest guest, Http http) {
    this.guest = guest;
    this.http = http;
  }

  /**
   * Opens a file for reading.
   *
   * @return its content as a stream, which the caller must close
   * @throws RametException NOT_FOUND if there is none, INVALID_ARGUMENT if it is a directory
   */
  public InputStream open(String path) {
    return guest.read(path).stream();
  }

  /** Reads all bytes of a file; fails as {@link #open} does. */
  public byte[] read(String path) {
    try (InputStream in = open(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw http.connectionFailed(e);
    }
  }

  /** Reads a file as UTF-8 text; fails as {@link #open} does. */
  public String readText(String path) {
    return new String(read(path), StandardCharsets.UTF_8);
  }

  /** Creates or replaces a file, and creates missing directories. */
  public void write(String path, byte[] content) {
    guest.write(path, Content.of(content));
  }

  /** Creates or replaces a file with text in UTF-8. */
  public void write(String path, String text) {
    write(path, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Creates or replaces a file with the content of a stream, without holding it in memory. */
  public void write(String path, InputStream content) {
    guest.write(path, Content.of(content, -1));
  }
}
