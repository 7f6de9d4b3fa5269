// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.relay;

import dev.ramet.engine.http.BadHttpException;
import dev.ramet.engine.http.RequestHead;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a guest, from what it sends first to its end. Run by a thread of its own; what
 * the rules have to do with it is read and written under the lock of the relay.
 */
final class Connection implements Runnable, Upstream {
  private static final System.Logger LOG = System.getLogger(Connection.class.getName());
  private static final Duration TIME_FOR_A_HEAD = Duration.ofSeconds(30);
  private static final int MOST_AHEAD =
      Math.max(ClientHello.MOST_BYTES, RequestHead.MOST_BYTES) + 16;

  private final Relay relay;
  private final Socket guest;
  private final List<Socket> sockets = new ArrayList<>();
  private boolean ended;

  // Under the lock of the relay: by which rules it goes on, and what they were asked about.
  private @Nullable Passage decidedBy;
  private @Nullable Origin origin;
  private final Set<String> names = new HashSet<>();
  private @Nullable InetAddress far;

  Connection(Relay relay, Socket guest) {
    this.relay = relay;
    this.guest = guest;
    sockets.add(guest);
  }

  @Override
  public void run() {
    try {
      guest.setTcpNoDelay(true);
      serve();
      finish();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection of a guest ends", e);
      end();
    } finally {
      relay.ended(this);
    }
  }

  private void serve() throws IOException {
    Origin to = relay.origins().take(guest.getPort());
    if (to == null) {
      throw new RefusedException("a connection that no guest opened");
    }
    GuestInput input = new GuestInput(guest);
    boolean reached;
    boolean looks;
    synchronized (relay) {
      Passage now = relay.passage();
      origin = to;
      reached = now.reaches(to.address());
      looks = reached ? now.headers().any() && to.web() : !now.names().none();
      if (!looks) {
        decideByAddress(now, to);
      }
    }
    if (looks) {
      byName(to, input, reached);
    } else {
      input.unlimited();
      pass(input, toOrigin(to));
    }
  }

  private void decideByAddress(Passage now, Origin to) throws RefusedException {
    if (!now.reaches(to.address())) {
      throw new RefusedException("the rules do not allow " + to.address().getHostAddress());
    }
    decidedBy = now;
  }

  /** Reads what the guest wants before it decides. */
  private void byName(Origin to, GuestInput input, boolean reached) throws IOException {
    BufferedInputStream in = new BufferedInputStream(input);
    input.within(TIME_FOR_A_HEAD);
    in.mark(MOST_AHEAD);
    First first = First.read(in);
    input.unlimited();
    String name = first.name();
    HeaderRules rules = headerRulesFor(name, reached);
    if (rules != null && name != null) {
      in.reset();
      rules.serve(name, first.tls(), in, guest.getOutputStream(), this);
      Answers.finish(guest);
    } else if (reached) {
      carryToAddress(to, input, in, first);
    } else if (first.head() != null) {
      carry(input, in, first.head(), name);
    } else if (first.problem() instanceof BadHttpException bad) {
      Answers.bad(guest, bad);
    } else {
      allow(name);
      in.reset();
      pass(in, connect(Objects.requireNonNull(name)));
    }
  }

  private @Nullable HeaderRules headerRulesFor(@Nullable String name, boolean reached) {
    synchronized (relay) {
      Passage now = relay.passage();
      if (name == null
          || !now.headers().concerns(name)
          || !(reached || now.names().contain(name))) {
        return null;
      }
      decidedBy = now;
      names.add(name);
      return now.headers();
    }
  }

  private void carryToAddress(Origin to, GuestInput input, BufferedInputStream in, First first)
      throws IOException {
    synchronized (relay) {
      decideByAddress(relay.passage(), to);
    }
    Socket upstream = toOrigin(to);
    RequestHead head = first.head();
    if (head == null || !HttpCarrier.fit(head)) {
      // The address is allowed: whatever it is, it is not for the rules.
      in.reset();
      pass(in, upstream);
    } else {
      // A later request may be one for the rules: it then comes again, on another connection.
      new HttpCarrier(this, input, in, upstream).carry(head, this::concernsNobody);
    }
  }

  private void concernsNobody(@Nullable String name) throws RefusedException {
    synchronized (relay) {
      if (name != null && relay.passage().headers().concerns(name)) {
        throw new RefusedException("a request that rules are about");
      }
    }
  }

  private void carry(GuestInput input, InputStream in, RequestHead head, @Nullable String name)
      throws IOException {
    Socket upstream;
    try {
      HttpCarrier.check(head);
      allow(name);
      upstream = connect(Objects.requireNonNull(name));
    } catch (BadHttpException e) {
      Answers.bad(guest, e);
      return;
    } catch (RefusedException e) {
      Answers.refused(guest, head, e);
      return;
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "a host is not reached", e);
      Answers.unreached(guest, head, String.valueOf(name));
      return;
    }
    new HttpCarrier(this, input, in, upstream).carry(head, this::allow);
  }

  /** Lets a name pass that the rules allow now, and remembers it. */
  private void allow(@Nullable String name) throws RefusedException {
    synchronized (relay) {
      Passage now = relay.passage();
      if (name == null || !now.names().contain(name)) {
        throw new RefusedException(
            "the rules of this sandbox do not allow " + (name == null ? "this host" : name));
      }
      if (decidedBy == null) {
        decidedBy = now;
      }
      names.add(name);
    }
  }

  /** Whether other rules let it go on; called under the lock of the relay. */
  boolean stays(Passage other) {
    Passage before = decidedBy;
    Origin to = origin;
    if (before == null || to == null) {
      return true; // They are going to be asked.
    }
    boolean asked = before.headers().any() || other.headers().any();
    boolean otherHeaders = asked && before.headers() != other.headers();
    if ((otherHeaders && to.web()) || !Objects.equals(before.proxy(), other.proxy())) {
      return false;
    }
    if (names.isEmpty()) {
      return other.reaches(to.address());
    }
    InetAddress there = far == null ? to.address() : far;
    return names.stream().allMatch(other.names()::contain) || other.reaches(there);
  }

  private Socket toOrigin(Origin to) throws IOException {
    return kept(relay.dialer().address(decided(), to.address(), to.port()));
  }

  @Override
  public Socket connect(String name) throws IOException {
    String normal = HostNames.normal(name);
    Passage by;
    int port;
    synchronized (relay) {
      by = Objects.requireNonNull(decidedBy);
      port = Objects.requireNonNull(origin).port();
    }
    if (normal == null) {
      throw new RefusedException("no name of a host: " + name);
    }
    Socket upstream = relay.dialer().name(by, normal, port);
    synchronized (relay) {
      far = by.proxy() == null ? upstream.getInetAddress() : null;
    }
    return kept(upstream);
  }

  private Passage decided() {
    synchronized (relay) {
      return Objects.requireNonNull(decidedBy);
    }
  }

  /** Ends with this connection. */
  private Socket kept(Socket upstream) throws IOException {
    synchronized (sockets) {
      if (!ended) {
        sockets.removeIf(Socket::isClosed);
        sockets.add(upstream);
        return upstream;
      }
    }
    upstream.close();
    throw new RefusedException("the connection has ended meanwhile");
  }

  /** Passes bytes both ways until both ends have ended. */
  void pass(InputStream fromGuest, Socket upstream) throws IOException {
    Thread back = back(() -> Pump.copy(upstream.getInputStream(), guest));
    Pump.copy(fromGuest, upstream);
    join(back);
  }

  /** Work of another thread for this connection, which ends when the work fails. */
  Thread back(Work work) {
    return Relay.thread(
        () -> {
          try {
            work.run();
          } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection of a guest ends", e);
            end();
          }
        });
  }

  /** What can fail for want of the other end. */
  interface Work {
    void run() throws IOException;
  }

  Socket guest() {
    return guest;
  }

  static void join(Thread thread) throws IOException {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void finish() {
    close(false);
  }

  /** Resets all of it. Idempotent. */
  void end() {
    close(true);
  }

  private void close(boolean reset) {
    List<Socket> open;
    synchronized (sockets) {
      ended = true;
      open = List.copyOf(sockets);
      sockets.clear();
    }
    for (Socket socket : open) {
      try (socket) {
        if (reset) {
          socket.setSoLinger(true, 0);
        }
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "an end of a connection", e);
      }
    }
  }
}
