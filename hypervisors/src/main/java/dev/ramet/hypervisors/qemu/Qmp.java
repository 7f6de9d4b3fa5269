// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one QEMU's monitor (docs/interop/qmp-spec.txt). Thread-safe: commands take turns.
 *
 * <p>One daemon thread reads. It exists because the end of the stream is the fastest news of the
 * end of the process, also of one that is not our child; what it costs a command is one wake-up
 * between threads.
 */
final class Qmp implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();

  /** The socket appears some milliseconds after the start of the process, without any event. */
  private static final long CONNECT_POLL_NANOS = 200_000;

  /** Parsing small JSON needs little; there is one such thread for each machine. */
  private static final long READER_STACK_BYTES = 256 * 1024;

  private final SocketChannel channel;
  private final ReentrantLock turn = new ReentrantLock();
  private final CompletableFuture<JsonNode> greeting = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Map<String, Awaited> awaited = new ConcurrentHashMap<>();
  private long lastId;
  private volatile @Nullable Pending pending;
  private volatile boolean over;

  private record Pending(long id, CompletableFuture<JsonNode> answer) {}

  private record Awaited(Set<String> statuses, CompletableFuture<JsonNode> data) {}

  private Qmp(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Connects and negotiates, waiting for the socket to appear.
   *
   * @param alive whether it still makes sense to wait
   */
  static Qmp connect(Path socket, BooleanSupplier alive, Deadline deadline) throws QmpException {
    Qmp qmp = new Qmp(open(socket, alive, deadline));
    try {
      Thread reader = new Thread(null, qmp::read, "qmp " + socket, READER_STACK_BYTES);
      reader.setDaemon(true);
      reader.start();
      await(qmp.greeting, deadline, "the greeting");
      qmp.execute("qmp_capabilities", deadline);
      return qmp;
    } catch (QmpException | RuntimeException | Error e) {
      qmp.close();
      throw e;
    }
  }

  private static SocketChannel open(Path socket, BooleanSupplier alive, Deadline deadline)
      throws QmpException {
    while (true) {
      try {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
          channel.connect(UnixDomainSocketAddress.of(socket));
          return channel;
        } catch (IOException e) {
          channel.close();
        }
      } catch (IOException e) {
        throw new QmpException(QmpException.Kind.CLOSED, "no monitor socket: " + e.getMessage());
      }
      if (!alive.getAsBoolean()) {
        throw new QmpException(
            QmpException.Kind.CLOSED, "the process ended before its monitor answered");
      }
      if (deadline.passed()) {
        throw new QmpException(QmpException.Kind.TIMEOUT, "the monitor did not appear");
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new QmpException(
            QmpException.Kind.INTERRUPTED, "interrupted before the monitor answered");
      }
      LockSupport.parkNanos(CONNECT_POLL_NANOS);
    }
  }

  /** Runs {@code then} on some thread once the connection has ended, or at once if it has. */
  void whenEnded(Runnable then) {
    var unused = ended.thenRun(then);
  }

  JsonNode execute(String command, Deadline deadline) throws QmpException {
    return execute(command, JSON.createObjectNode(), deadline);
  }

  /** Runs one command and answers its {@code return} value. */
  JsonNode execute(String command, ObjectNode arguments, Deadline deadline) throws QmpException {
    lock(command, deadline);
    try {
      Pending mine = new Pending(++lastId, new CompletableFuture<>());
      pending = mine;
      if (over) {
        throw closed(command);
      }
      ObjectNode message = JSON.createObjectNode();
      message.put("execute", command);
      message.put("id", mine.id());
      if (!arguments.isEmpty()) {
        message.set("arguments", arguments);
      }
      send(message, command);
      JsonNode answer = await(mine.answer(), deadline, command);
      JsonNode error = answer.get("error");
      if (error != null) {
        throw new QmpException(
            QmpException.Kind.REFUSED, command + ": " + error.path("desc").asText());
      }
      return answer.path("return");
    } finally {
      pending = null;
      turn.unlock();
    }
  }

  /** Whether the connection still stands, as far as is known. */
  boolean open() {
    return !over;
  }

  /**
   * The {@code data} of the next event of this name whose {@code status} is one of these; ask
   * before causing it. One at a time for each name.
   */
  CompletableFuture<JsonNode> nextEvent(String name, Set<String> statuses) {
    Awaited event = new Awaited(statuses, new CompletableFuture<>());
    awaited.put(name, event);
    if (over) {
      event.data().completeExceptionally(closed(name));
    }
    return event.data();
  }

  /** Waits for an answer or event. */
  static JsonNode await(CompletableFuture<JsonNode> answer, Deadline deadline, String what)
      throws QmpException {
    try {
      return answer.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new QmpException(QmpException.Kind.TIMEOUT, what + ": no answer in time");
    } catch (ExecutionException e) {
      throw closed(what);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QmpException(QmpException.Kind.INTERRUPTED, what + ": interrupted");
    }
  }

  private void lock(String command, Deadline deadline) throws QmpException {
    try {
      if (!turn.tryLock(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
        throw new QmpException(QmpException.Kind.TIMEOUT, command + ": the monitor is busy");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QmpException(QmpException.Kind.INTERRUPTED, command + ": interrupted");
    }
  }

  private void send(ObjectNode message, String command) throws QmpException {
    // An interrupt during channel I/O would close the channel, and with it the way to a healthy
    // machine: it is put off until the command is out.
    boolean interrupted = Thread.interrupted();
    try {
      ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(message));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw closed(command);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static QmpException closed(String what) {
    return new QmpException(QmpException.Kind.CLOSED, what + ": the monitor connection ended");
  }

  private void read() {
    try {
      ByteBuffer chunk = ByteBuffer.allocateDirect(16 * 1024);
      ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
      while (channel.read(chunk) >= 0) {
        chunk.flip();
        while (chunk.hasRemaining()) {
          byte b = chunk.get();
          if (b == '\n') {
            dispatch(line.toByteArray());
            line.reset();
          } else {
            line.write(b);
          }
        }
        chunk.clear();
      }
    } catch (IOException e) {
      // A connection that breaks is a connection that ends.
    } finally {
      end();
    }
  }

  private void dispatch(byte[] line) throws IOException {
    JsonNode message;
    try {
      message = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IOException("not QMP", e);
    }
    if (message.has("QMP")) {
      greeting.complete(message);
    } else if (message.has("event")) {
      String name = message.get("event").asText();
      JsonNode data = message.path("data");
      Awaited waiter = awaited.get(name);
      if (waiter != null && waiter.statuses().contains(data.path("status").asText())) {
        awaited.remove(name, waiter);
        waiter.data().complete(data);
      }
    } else {
      Pending waiting = pending;
      // The answer to a command that was given up carries another id: nobody wants it any more.
      if (waiting != null && message.path("id").asLong(-1) == waiting.id()) {
        waiting.answer().complete(message);
      }
    }
  }

  private void end() {
    over = true;
    QmpException gone = closed("monitor");
    greeting.completeExceptionally(gone);
    awaited.values().forEach(event -> event.data().completeExceptionally(gone));
    Pending waiting = pending;
    if (waiting != null) {
      waiting.answer().completeExceptionally(gone);
    }
    close();
    // Last, because whoever waits for it may do anything on this thread.
    ended.complete(null);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is lost with it.
    }
  }
}
