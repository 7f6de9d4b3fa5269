// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A list that arrives from an agent while it is read, in the order of paths. An agent that breaks
 * the order, promises other numbers than it sends, or does not end the list is refused. Used by one
 * thread.
 *
 * @param <T> entries or changes
 */
public final class Listing<T> implements AutoCloseable {
  /** The largest workspace that an agent lists. */
  static final int MAX_ENTRIES = 1 << 20;

  private final Lines lines;
  private final Conversion<T> conversion;
  private final String digest;
  private final long total;
  private @Nullable GuestPath last;
  private int count;
  private boolean more;

  /** Converts an item. */
  interface Conversion<T> {
    T convert(JsonNode json) throws IOException;

    GuestPath path(T item);
  }

  Listing(Lines lines, Conversion<T> conversion) {
    this.lines = lines;
    this.conversion = conversion;
    JsonNode head = lines.next();
    try {
      String given = Decoder.digest(head, "digest");
      if (given == null) {
        throw new IOException("the list has no digest");
      }
      this.digest = given;
      this.total = Decoder.number(head, "count", 0, 2L * MAX_ENTRIES);
    } catch (IOException e) {
      throw lines.lie(e);
    }
  }

  /** Returns the name of the state that the list is of; for changes, of the later one. */
  public String digest() {
    return digest;
  }

  /** Returns the number of entries of the whole state, or the number of changes. */
  public long total() {
    return total;
  }

  /** Returns whether another page follows; known when {@link #next} has returned null. */
  public boolean more() {
    return more;
  }

  /**
   * Returns the next item, or null at the end.
   *
   * @throws RametException {@code GUEST_UNREACHABLE} when the agent ends early, is silent for too
   *     long or sends something else; {@code DEADLINE_EXCEEDED} when the list takes too long
   */
  public @Nullable T next() {
    JsonNode line = lines.next();
    try {
      if (line.has("end")) {
        if (Decoder.number(line, "count", 0, count) != count) {
          throw new IOException("items are missing");
        }
        more = line.path("more").asBoolean();
        return null;
      }
      if (++count > total) {
        throw new IOException("there are more items than announced");
      }
      T item = conversion.convert(line);
      GuestPath path = conversion.path(item);
      if (last != null && last.compareTo(path) >= 0) {
        throw new IOException("the paths are not in order");
      }
      last = path;
      return item;
    } catch (IOException e) {
      throw lines.lie(e);
    }
  }

  /** Ends the connection. */
  @Override
  public void close() {
    lines.close();
  }

  static RametException refused(String what, Throwable cause) {
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE,
        "the guest's agent answered about a workspace in an unknown way: " + what,
        "restart the sandbox; the guest's console log may say more",
        cause);
  }
}
