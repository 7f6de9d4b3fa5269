// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Reads lines of JSON with a limit of their size and of the whole time. Used by one thread. */
final class Lines implements AutoCloseable {
  /** An entry of two paths in base64 and two digests takes a tenth of it. */
  private static final int MAX_LINE_BYTES = 128 << 10;

  private static final int BUFFER_BYTES = 64 << 10;

  private final InputStream in;
  private final long endNanos;
  private final Duration limit;

  Lines(InputStream in, Duration limit) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
    this.limit = limit;
    this.endNanos = System.nanoTime() + limit.toNanos();
  }

  /** Returns the next line that is not empty: an empty one only says that the agent works. */
  JsonNode next() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      while (true) {
        int one = in.read();
        if (one < 0) {
          throw new IOException("the list is incomplete");
        }
        if (one != '\n') {
          if (line.size() == MAX_LINE_BYTES) {
            throw new IOException("a line is too long");
          }
          line.write(one);
          continue;
        }
        if (System.nanoTime() - endNanos > 0) {
          throw new RametException(
              ErrorCode.DEADLINE_EXCEEDED,
              "the guest's agent did not list the workspace within " + limit.toSeconds() + " s",
              "name a smaller directory as workspace",
              null);
        }
        if (line.size() > 0) {
          return checked(Json.tree(line.toByteArray()));
        }
      }
    } catch (IOException e) {
      throw lie(e);
    }
  }

  private static JsonNode checked(JsonNode line) throws IOException {
    if (!line.isObject()) {
      throw new IOException("a line is not an object");
    }
    JsonNode error = line.path("error");
    if (error.isObject()) {
      throw Requests.failure(error.path("code").asInt(), error.path("message").asText());
    }
    return line;
  }

  RametException lie(IOException e) {
    return Listing.refused(String.valueOf(e.getMessage()), e);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      // Nothing is read from it any more.
    }
  }
}
