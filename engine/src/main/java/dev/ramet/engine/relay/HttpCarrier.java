// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.Fields;
import dev.ramet.engine.http.Framing;
import dev.ramet.engine.http.RequestHead;
import dev.ramet.engine.http.ResponseHead;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Passes the requests of one connection on, and looks at each of them: a connection that may carry
 * one request could carry others too, for other hosts at the same address. Used by one thread.
 */
final class HttpCarrier {
  private static final Duration TIME_FOR_A_HEAD = Duration.ofSeconds(30);
  private static final String UPGRADE = "Upgrade";
  private static final String CONNECTION = "Connection";
  private static final String SETTINGS = "HTTP2-Settings";

  private final Connection connection;
  private final GuestInput limits;
  private final InputStream in;
  private final Socket upstream;

  /**
   * A carrier.
   *
   * @param limits what {@code in} reads from
   * @param in after the head of the first request
   */
  HttpCarrier(Connection connection, GuestInput limits, InputStream in, Socket upstream) {
    this.connection = connection;
    this.limits = limits;
    this.in = in;
    this.upstream = upstream;
  }

  /** Refuses what the rules do not allow. */
  interface Names {
    /** Throws unless requests for a host of this name may pass; null is no name. */
    void check(@Nullable String name) throws IOException;
  }

  /** Refuses requests that do not go to the host that they name, or not from here. */
  static void check(RequestHead head) throws BadHttpException {
    if (!fit(head)) {
      throw new BadHttpException("a request for a proxy or a tunnel, or one that hides its Host");
    }
  }

  /** Whether a request goes to the host that it names, and whoever passes it on keeps the name. */
  static boolean fit(RequestHead head) {
    boolean all = head.method().equals("OPTIONS") && head.target().equals("*");
    return (all || head.target().startsWith("/"))
        && !head.fields().words(CONNECTION).contains("host");
  }

  /**
   * Carries all requests.
   *
   * @param first the first, which the rules allow
   * @param names what they say to further ones
   */
  void carry(RequestHead first, Names names) throws IOException {
    check(first);
    boolean switches = webSocket(first);
    CompletableFuture<Boolean> switched = new CompletableFuture<>();
    Thread back = connection.back(() -> answers(switches, switched));
    OutputStream out = new BufferedOutputStream(upstream.getOutputStream());
    send(switches ? first : plain(first), out);
    if (switches && await(switched)) {
      Pump.copy(in, upstream);
    } else {
      rest(names, out);
    }
    Connection.join(back);
  }

  private void rest(Names names, OutputStream out) throws IOException {
    while (true) {
      // Between requests it may wait for as long as it wants.
      limits.unlimited();
      in.mark(1);
      if (in.read() < 0) {
        upstream.shutdownOutput();
        return;
      }
      in.reset();
      limits.within(TIME_FOR_A_HEAD);
      RequestHead next = RequestHead.read(in);
      limits.unlimited();
      if (next == null) {
        throw new BadHttpException("no request");
      }
      check(next);
      names.check(HostNames.ofField(next.host()));
      send(plain(next), out);
    }
  }

  private void send(RequestHead head, OutputStream out) throws IOException {
    out.write(head.bytes());
    out.flush();
    head.framing().copy(in, out);
    out.flush();
  }

  private static boolean webSocket(RequestHead head) throws BadHttpException {
    String to = head.fields().only(UPGRADE);
    return to != null
        && to.toLowerCase(Locale.ROOT).equals("websocket")
        && head.framing().equals(Framing.NONE);
  }

  /** Without the wish for another protocol, in which requests would not be seen any more. */
  private static RequestHead plain(RequestHead head) {
    Fields fields = head.fields();
    if (fields.values(UPGRADE).isEmpty()) {
      return head;
    }
    TreeSet<String> words = new TreeSet<>(fields.words(CONNECTION));
    words.remove(UPGRADE.toLowerCase(Locale.ROOT));
    words.remove(SETTINGS.toLowerCase(Locale.ROOT));
    Fields without = fields.without(Set.of(UPGRADE, SETTINGS, CONNECTION));
    return head.with(
        words.isEmpty() ? without : without.with(CONNECTION, String.join(", ", words)));
  }

  /** Passes the answers on; the server's word on a change of protocol is looked at. */
  private void answers(boolean switches, CompletableFuture<Boolean> switched) throws IOException {
    try {
      InputStream from = new BufferedInputStream(upstream.getInputStream());
      if (switches) {
        ResponseHead answer;
        do {
          answer = ResponseHead.read(from);
          connection.guest().getOutputStream().write(answer.bytes());
        } while (answer.interim());
        switched.complete(answer.status() == 101);
      }
      Pump.copy(from, connection.guest());
    } finally {
      switched.complete(false);
    }
  }

  private static boolean await(CompletableFuture<Boolean> switched) throws IOException {
    try {
      return switched.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }
}
