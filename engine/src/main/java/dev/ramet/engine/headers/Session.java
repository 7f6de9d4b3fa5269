// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.headers;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.Framing;
import dev.ramet.engine.http.RequestHead;
import dev.ramet.engine.http.ResponseHead;
import dev.ramet.engine.relay.RefusedException;
import dev.ramet.engine.secret.MissingSecretException;
import dev.ramet.errors.RametException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection of a guest, one after the other, each with the headers of its
 * moment. Used by one thread.
 */
final class Session {
  private static final System.Logger LOG = System.getLogger(Session.class.getName());

  /** Tells of another way to the host, past the rules. */
  private static final Set<String> OF_OTHER_WAYS = Set.of("Alt-Svc");

  private final String name;
  private final Headers headers;
  private final Far.Dial dial;
  private @Nullable Far far;

  /**
   * Requests for one host.
   *
   * @param headers asked for each request
   * @param dial connects to the host
   */
  Session(String name, Headers headers, Far.Dial dial) {
    this.name = name;
    this.headers = headers;
    this.dial = dial;
  }

  /** What is put into a request. */
  interface Headers {
    /** By name. */
    Map<String, String> now() throws MissingSecretException;
  }

  /** Serves until one of both sides ends it. */
  void run(InputStream fromGuest, OutputStream toGuest) throws IOException {
    BufferedInputStream in = new BufferedInputStream(fromGuest);
    OutputStream out = new BufferedOutputStream(toGuest);
    try {
      boolean more = true;
      while (more) {
        more = next(in, out);
      }
    } catch (Answer answer) {
      answer.send(out);
    } finally {
      drop();
    }
  }

  private boolean next(BufferedInputStream in, OutputStream out) throws IOException {
    RequestHead head = read(in);
    if (head == null) {
      return false;
    }
    RequestHead sent = rewritten(head);
    boolean switches = Rewriting.webSocket(head);
    Far to = far(head);
    Ahead ahead = new Ahead(in, head.framing(), switches);
    try {
      return exchange(head, sent, to, ahead, out);
    } finally {
      ahead.switched(false);
    }
  }

  private boolean exchange(
      RequestHead head, RequestHead sent, Far to, Ahead ahead, OutputStream out)
      throws IOException {
    try {
      return answer(head, to, ask(to, sent, ahead), ahead, out);
    } catch (UnansweredException e) {
      // It may be done again where the host has closed what idled.
      if (!to.used() || ahead.hasBody()) {
        throw unreached(head, e);
      }
    }
    drop();
    Far fresh = far(head);
    try {
      return answer(head, fresh, ask(fresh, sent, ahead), ahead, out);
    } catch (UnansweredException e) {
      throw unreached(head, e);
    }
  }

  /** Nothing of an answer has come. */
  private static final class UnansweredException extends IOException {
    private static final long serialVersionUID = 1L;

    UnansweredException(IOException cause) {
      super(cause);
    }
  }

  private static @Nullable RequestHead read(InputStream in) throws IOException {
    try {
      return RequestHead.read(in);
    } catch (BadHttpException e) {
      throw new Answer(400, "Bad Request", String.valueOf(e.getMessage()), "");
    }
  }

  private RequestHead rewritten(RequestHead head) throws IOException {
    try {
      Rewriting.check(head, name);
      return Rewriting.with(head, headers.now());
    } catch (BadHttpException e) {
      throw new Answer(400, "Bad Request", String.valueOf(e.getMessage()), head.method());
    } catch (MissingSecretException e) {
      throw new Answer(
          502,
          "Bad Gateway",
          "the rules of this sandbox put the secret "
              + e.name()
              + " into requests to "
              + name
              + ", and it was deleted",
          head.method());
    } catch (RametException e) {
      LOG.log(System.Logger.Level.WARNING, "a guest''s request to {0} failed: {1}", name, e);
      throw new Answer(502, "Bad Gateway", "the host cannot read its secrets", head.method());
    }
  }

  private Far far(RequestHead head) throws IOException {
    Far open = far;
    if (open != null && !open.stale()) {
      return open;
    }
    drop();
    try {
      Far made = dial.connect();
      far = made;
      return made;
    } catch (RefusedException e) {
      throw new Answer(403, "Forbidden", String.valueOf(e.getMessage()), head.method());
    } catch (IOException e) {
      throw unreached(head, e);
    }
  }

  private Answer unreached(RequestHead head, IOException why) {
    LOG.log(System.Logger.Level.DEBUG, "a host is not reached", why);
    String reason =
        why instanceof SSLException
            ? "shows no certificate that this sandbox's host trusts, or speaks no TLS"
            : why instanceof UnknownHostException
                ? "is not known to this sandbox's host"
                : "does not answer";
    return new Answer(502, "Bad Gateway", name + " " + reason, head.method());
  }

  private static ResponseHead ask(Far to, RequestHead sent, Ahead ahead) throws IOException {
    try {
      to.out().write(sent.bytes());
      to.out().flush();
      ahead.begin(to);
      return ResponseHead.read(to.in());
    } catch (IOException e) {
      throw new UnansweredException(e);
    }
  }

  /** Passes the answer on as it comes; whether another request may follow. */
  private boolean answer(
      RequestHead asked, Far from, ResponseHead first, Ahead ahead, OutputStream out)
      throws IOException {
    ResponseHead head = first;
    boolean goesOn = false;
    while (head.interim()) {
      out.write(head.bytes());
      out.flush();
      head = ResponseHead.read(from.in());
      goesOn = true;
    }
    boolean switched = head.status() == 101;
    if (switched && !ahead.maySwitch()) {
      throw new IOException("a change of protocol that nobody asked for");
    }
    Framing framing = head.framing(asked.method());
    out.write(head.with(head.fields().without(OF_OTHER_WAYS)).bytes());
    out.flush();
    ahead.switched(switched);
    if (switched) {
      Framing.TO_THE_END.copy(from.in(), out);
      return false;
    }
    framing.copy(from.in(), out);
    out.flush();
    // Whoever waits with a body for a word, and is refused, may leave the body out.
    boolean unclear = Rewriting.waits(asked) && !goesOn && !ahead.bodyIsDone();
    if (unclear
        || framing.equals(Framing.TO_THE_END)
        || Rewriting.last(asked)
        || Rewriting.last(head)) {
      return false;
    }
    from.rests();
    return ahead.another();
  }

  private void drop() {
    Far open = far;
    far = null;
    if (open != null) {
      try (open) {
        LOG.log(System.Logger.Level.TRACE, "a connection to {0} ends", name);
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "an end of a connection", e);
      }
    }
  }
}
