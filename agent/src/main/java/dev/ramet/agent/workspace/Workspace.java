// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One directory of a guest whose files its agent knows. Thread-safe. Nothing that the agent answers
 * is trusted further than that it is what the agent says.
 *
 * <p>All methods throw a {@link RametException}: {@code AGENT_TOO_OLD} when the agent knows no
 * workspaces, {@code GUEST_UNREACHABLE} when it does not answer, ends early or answers nonsense,
 * {@code DEADLINE_EXCEEDED} when it takes too long, {@code INVALID_ARGUMENT} for paths that are not
 * below the directory, {@code NOT_FOUND} for those that do not exist, {@code CONFLICT} for what
 * does not fit the directory's state, {@code NO_SPACE} when the guest's disk is full.
 */
public final class Workspace {
  private final Requests requests;
  private final Duration limit;

  /**
   * Creates a client.
   *
   * @param address the address of the agent
   * @param access the credentials that the agent requires
   * @param root absolute path of the directory in the guest
   * @param limit how long one request may take in all
   */
  public Workspace(InetSocketAddress address, AgentAccess access, String root, Duration limit) {
    this.requests = new Requests(address, access, root, limit);
    this.limit = limit;
  }

  /**
   * Lists the entries of a state.
   *
   * @param digest the state, or null for the present one, which the agent then reads
   * @param after the list begins after this path, or null for the first
   * @param most the number of entries of the page
   * @return the list, which the caller closes
   */
  public Listing<Entry> index(@Nullable String digest, @Nullable GuestPath after, int most) {
    String query =
        (digest == null ? "" : "&digest=" + Guest.encode(digest))
            + (after == null ? "" : "&after=" + after.encoded());
    return listing(
        "index",
        "&limit=" + most + query,
        new Listing.Conversion<>() {
          @Override
          public Entry convert(JsonNode json) throws IOException {
            return Decoder.entry(json);
          }

          @Override
          public GuestPath path(Entry item) {
            return item.path();
          }
        });
  }

  /**
   * Compares two states.
   *
   * @param from the earlier state, by its digest
   * @param to the later one, or null for the present one, which the agent then reads
   * @return the changes, which the caller closes
   * @throws RametException {@code NOT_FOUND} when the agent no longer knows a state: compare the
   *     lists of both
   */
  public Listing<Change> changes(String from, @Nullable String to) {
    String query = "&from=" + Guest.encode(from) + (to == null ? "" : "&to=" + Guest.encode(to));
    return listing(
        "changes",
        query,
        new Listing.Conversion<>() {
          @Override
          public Change convert(JsonNode json) throws IOException {
            return Decoder.change(json);
          }

          @Override
          public GuestPath path(Change item) {
            Entry after = item.after();
            Entry before = item.before();
            return after != null ? after.path() : before != null ? before.path() : GuestPath.of("");
          }
        });
  }

  private <T> Listing<T> listing(String name, String query, Listing.Conversion<T> conversion) {
    Lines lines = new Lines(requests.open("GET", name, query, null).body(), limit);
    try {
      return new Listing<>(lines, conversion);
    } catch (RametException e) {
      lines.close();
      throw e;
    }
  }

  /** Returns one entry as it is now, with its extended attributes. */
  public Entry entry(GuestPath path) {
    JsonNode json = requests.answer("GET", "entry", "&path=" + path.encoded(), null);
    try {
      Entry entry = Decoder.entry(json);
      if (!entry.path().equals(path)) {
        throw new IOException("the entry has another path");
      }
      return entry;
    } catch (IOException e) {
      throw Listing.refused(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Opens a range of a file.
   *
   * @param offset where it begins, in bytes
   * @param length the most bytes of it
   * @return its bytes, fewer at the file's end; the caller closes the stream. Reading fails if the
   *     agent sends fewer than it announced
   */
  public InputStream read(GuestPath path, long offset, long length) {
    String query = "&path=" + path.encoded() + "&offset=" + offset + "&length=" + length;
    HttpResponse<InputStream> answer = requests.open("GET", "read", query, null);
    long announced = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
    if (announced < 0 || announced > length) {
      Requests.closeQuietly(answer.body());
      throw Listing.refused("it sends another range than was asked for", new IOException());
    }
    return answer.body();
  }

  /**
   * Makes a path what an entry says, in one step.
   *
   * @param content the bytes of a file, as many as the entry says; ignored for other kinds
   * @return false if it was so already
   */
  public boolean write(Entry entry, InputStream content) {
    byte[] line = Decoder.request(entry);
    boolean file = entry.status().kind() == Entry.Kind.FILE;
    Content body =
        file
            ? Content.of(
                new SequenceInputStream(new ByteArrayInputStream(line), content),
                line.length + entry.status().sizeBytes())
            : Content.of(line);
    return requests.answer("POST", "write", "", body).path("changed").asBoolean();
  }

  /**
   * Deletes a file or an empty directory.
   *
   * @return false if there was none
   */
  public boolean delete(GuestPath path) {
    return requests
        .answer("POST", "delete", "&path=" + path.encoded(), null)
        .path("changed")
        .asBoolean();
  }

  /**
   * Returns events, and waits for the first if there is none yet.
   *
   * @param since the number of the last event that is known, or 0
   * @param most the number of events to return
   * @param wait whole seconds to wait, at most 60
   */
  public EventPage events(long since, int most, Duration wait) {
    String query = "&since=" + since + "&limit=" + most + "&wait=" + wait.toSeconds();
    try (Lines lines = new Lines(requests.open("GET", "events", query, null).body(), limit)) {
      JsonNode head = lines.next();
      long last = Decoder.number(head, "last", 0, Long.MAX_VALUE);
      List<FileEvent> events = new ArrayList<>();
      for (JsonNode line = lines.next(); !line.has("end"); line = lines.next()) {
        if (events.size() == most) {
          throw new IOException("there are more events than were asked for");
        }
        events.add(Decoder.event(line));
      }
      return new EventPage(head.path("stream").asText(), last, events);
    } catch (IOException e) {
      throw Listing.refused(String.valueOf(e.getMessage()), e);
    }
  }
}
