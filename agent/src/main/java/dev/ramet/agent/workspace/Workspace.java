// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.Call;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.HttpCalls;
import dev.ramet.agent.IdleTimeoutStream;
import dev.ramet.agent.host.AgentAccess;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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
  private static final String VERSION_HEADER = "X-Ramet-Workspace";
  private static final String VERSION = "1";
  private static final int MAX_ANSWER_BYTES = 8 << 20;
  private static final int GONE = 410;

  /** The agent sends at least an empty line every 5 s, also under emulation. */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final String address;
  private final AgentAccess access;
  private final String root;
  private final Duration limit;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  /**
   * Creates a client.
   *
   * @param address the address of the agent
   * @param access the credentials that the agent requires
   * @param root absolute path of the directory in the guest
   * @param limit how long one request may take in all
   */
  public Workspace(InetSocketAddress address, AgentAccess access, String root, Duration limit) {
    this.address = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    this.access = access;
    this.root = root;
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
    Lines lines = new Lines(open("GET", name, query, null).body(), limit);
    try {
      return new Listing<>(lines, conversion);
    } catch (RametException e) {
      lines.close();
      throw e;
    }
  }

  /** Returns one entry as it is now, with its extended attributes. */
  public Entry entry(GuestPath path) {
    JsonNode json = answer("GET", "entry", "&path=" + path.encoded(), null);
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
    HttpResponse<InputStream> answer = open("GET", "read", query, null);
    long announced = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
    if (announced < 0 || announced > length) {
      closeQuietly(answer.body());
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
    return answer("POST", "write", "", body).path("changed").asBoolean();
  }

  /**
   * Deletes a file or an empty directory.
   *
   * @return false if there was none
   */
  public boolean delete(GuestPath path) {
    return answer("POST", "delete", "&path=" + path.encoded(), null).path("changed").asBoolean();
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
    try (Lines lines = new Lines(open("GET", "events", query, null).body(), limit)) {
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

  private JsonNode answer(String method, String name, String query, @Nullable Content content) {
    try (InputStream in = open(method, name, query, content).body()) {
      byte[] body = in.readNBytes(MAX_ANSWER_BYTES + 1);
      if (body.length > MAX_ANSWER_BYTES) {
        throw new IOException("the answer is too large");
      }
      return Json.tree(body);
    } catch (IOException e) {
      throw Listing.refused(String.valueOf(e.getMessage()), e);
    }
  }

  private HttpResponse<InputStream> open(
      String method, String name, String query, @Nullable Content content) {
    String path = "/ramet/workspace/" + name + "?root=" + Guest.encode(root) + query;
    Call call = new Call(method, path, access.headers(), content, SILENCE);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
    HttpResponse<InputStream> answer;
    try {
      answer =
          HttpCalls.send(
              http,
              HttpCalls.onto(request, call).build(),
              info ->
                  java.net.http.HttpResponse.BodySubscribers.mapping(
                      BodyHandlers.ofInputStream().apply(info),
                      in -> new IdleTimeoutStream(in, SILENCE)),
              limit,
              () -> {});
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE, "the guest's agent did not answer about a workspace", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
    }
    if (answer.headers().firstValue(VERSION_HEADER).filter(VERSION::equals).isEmpty()) {
      closeQuietly(answer.body());
      throw answer.statusCode() == 401
          ? new RametException(ErrorCode.GUEST_UNREACHABLE, "the guest's agent refused its host")
          : new RametException(
              ErrorCode.AGENT_TOO_OLD,
              "the agent in the guest knows no workspaces",
              "restart the sandbox: it gets the present agent when it boots",
              null);
    }
    if (answer.statusCode() / 100 != 2) {
      throw error(answer);
    }
    return answer;
  }

  private static RametException error(HttpResponse<InputStream> answer) {
    try (InputStream in = answer.body()) {
      JsonNode body = Json.tree(in.readNBytes(MAX_ANSWER_BYTES));
      return failure(answer.statusCode(), body.path("message").asText());
    } catch (IOException e) {
      return failure(answer.statusCode(), "status " + answer.statusCode());
    }
  }

  /** Returns the error for one that the agent reports. */
  static RametException failure(int status, String message) {
    ErrorCode code =
        switch (status) {
          case 400 -> ErrorCode.INVALID_ARGUMENT;
          case 404, GONE -> ErrorCode.NOT_FOUND;
          case 409, 429 -> ErrorCode.CONFLICT;
          case 413 -> ErrorCode.TOO_LARGE;
          case 507 -> ErrorCode.NO_SPACE;
          default -> ErrorCode.GUEST_UNREACHABLE;
        };
    String shown = message.substring(0, Math.min(message.length(), 4000));
    return new RametException(code, "workspace: " + shown.replaceAll("[\\p{Cntrl}&&[^\n]]", "?"));
  }

  private static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // Nothing is read from it any more.
    }
  }
}
