// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import dev.ramet.agent.Answer;
import dev.ramet.agent.Guest;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Copies files out of a sandbox. */
final class Download {
  private static final int COPY_BUFFER = 64 << 10;

  private final Client client;
  private final String sandbox;
  private final Guest guest;

  Download(Client client, String sandbox, @Nullable String user) {
    this.client = client;
    this.sandbox = sandbox;
    this.guest = HostedGuest.of(client, sandbox, user);
  }

  /**
   * Copies a file from the guest.
   *
   * @return its size in bytes
   * @throws IOException if {@code to} fails
   */
  long copy(String path, OutputStream to) throws IOException {
    Answer answer = guest.read(path);
    try (InputStream in = answer.stream()) {
      byte[] buffer = new byte[COPY_BUFFER];
      long total = 0;
      for (int n = readChunk(in, buffer); n >= 0; n = readChunk(in, buffer)) {
        to.write(buffer, 0, n);
        total += n;
      }
      if (answer.length() >= 0 && answer.length() != total) { // the JDK's client does not see this
        throw new RametException(
            ErrorCode.UNAVAILABLE,
            "the transfer of %s:%s stopped after %d of %d bytes"
                .formatted(sandbox, path, total, answer.length()));
      }
      return total;
    }
  }

  private int readChunk(InputStream in, byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw client.connectionFailed(e);
    }
  }
}
