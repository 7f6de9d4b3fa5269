// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;

/** The files of a sandbox. Thread-safe. Paths that are relative begin at the user's home. */
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
   * @return its bytes as they come; to be closed
   * @throws RametException NOT_FOUND if there is none, INVALID_ARGUMENT if it is a directory
   */
  public InputStream open(String path) {
    return guest.read(path);
  }

  /** All bytes of a file, as of {@link #open}. */
  public byte[] read(String path) {
    try (InputStream in = open(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw http.broken(e);
    }
  }

  /** A file of UTF-8, as of {@link #open}. */
  public String readText(String path) {
    return new String(read(path), StandardCharsets.UTF_8);
  }

  /** Writes a file anew; missing directories are made. */
  public void write(String path, byte[] content) {
    guest.write(path, BodyPublishers.ofByteArray(content));
  }

  /** The same with text, as UTF-8. */
  public void write(String path, String text) {
    write(path, text.getBytes(StandardCharsets.UTF_8));
  }

  /** The same with what a stream gives to its end, without holding it in memory. */
  public void write(String path, InputStream content) {
    guest.write(path, BodyPublishers.ofInputStream(() -> content));
  }
}
