// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the monitor of one QEMU (docs/interop/qmp-spec.txt). Thread-safe: QEMU executes
 * commands in the order in which they were sent.
 *
 * <p>One daemon thread reads. It exists because the end of the stream is the fastest sign of the
 * process's exit, also for a process that is not a child. It costs each command one wake-up between
 * threads. A caller that cannot afford this reads the answer itself, see {@link
 * PendingReply#awaitAwake}, after silencing that thread, see {@link #deferWakeups}: each answer
 * would wake it too, and it would take a processor from the caller or from QEMU.
 */
public final class Qmp implements AutoCloseable {
  public static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Lets QEMU read the next command while it executes one; otherwise it reads it only afterwards.
   */
  private static final String OUT_OF_BAND = "oob";

  /** Small, since parsing small JSON needs little stack and each machine has such a thread. */
  private static final long READER_STACK_BYTES = 256 * 1024;

  /**
   * How long a thread polls for an answer before it sleeps: several times the duration of a command
   * in a pause.
   */
  public static final long AWAKE_NANOS =
      Runtime.getRuntime().availableProcessors() > 1 ? 5_000_000 : 0;

  /** The longest time the reading thread stays silenced; a pause that takes longer is not short. */
  private static final long HUSHED_NANOS = 100_000_000;

  /**
   * How often the silenced thread still reads, because others may wait for answers; longer than
   * most pauses.
   */
  private static final long HUSHED_POLL_NANOS = 5_000_000;

  private final SocketChannel channel;
  private final Selector selector;
  private final QmpReader reader;
  private final QmpWriter writer;
  private final ReentrantLock reading = new ReentrantLock();
  private final QmpInbox inbox = new QmpInbox();
  private final AtomicLong lastId = new AtomicLong();
  private volatile long hushedUntil = System.nanoTime();
  private @Nullable Thread thread;

  private Qmp(SocketChannel channel, Selector selector) {
    this.channel = channel;
    this.selector = selector;
    this.reader = new QmpReader(channel, inbox::dispatch);
    this.writer = new QmpWriter(channel, this::close);
  }

  /**
   * Connects and negotiates, waiting for the socket to appear.
   *
   * @param alive whether it still makes sense to wait
   */
  public static Qmp connect(Path socket, BooleanSupplier alive, Deadline deadline)
      throws QmpException {
    Qmp qmp = start(MonitorSocket.open(socket, alive, deadline));
    try {
      Thread reader = new Thread(null, qmp::read, "qmp " + socket, READER_STACK_BYTES);
      reader.setDaemon(true);
      qmp.thread = reader;
      reader.start();
      JsonNode greeting = deadline.await(qmp.inbox.greeting(), "the greeting");
      ObjectNode arguments = JSON.createObjectNode();
      if (greeting.path("QMP").path("capabilities").toString().contains(OUT_OF_BAND)) {
        arguments.putArray("enable").add(OUT_OF_BAND);
      }
      qmp.execute("qmp_capabilities", arguments, deadline);
      return qmp;
    } catch (QmpException | RuntimeException | Error e) {
      qmp.close();
      throw e;
    }
  }

  private static Qmp start(SocketChannel channel) throws QmpException {
    try {
      Selector selector = Selector.open();
      channel.register(selector, SelectionKey.OP_READ);
      return new Qmp(channel, selector);
    } catch (IOException e) {
      closeQuietly(channel);
      throw new QmpException(QmpException.Kind.CLOSED, "no monitor: " + e.getMessage());
    }
  }

  /**
   * Runs {@code then} on some thread once the connection has ended, or at once if it already has.
   */
  public void whenEnded(Runnable then) {
    inbox.whenEnded(then);
  }

  public JsonNode execute(String command, Deadline deadline) throws QmpException {
    return execute(command, JSON.createObjectNode(), deadline);
  }

  /** Runs one command and returns its {@code return} value. */
  JsonNode execute(String command, ObjectNode arguments, Deadline deadline) throws QmpException {
    return send(command, arguments, deadline).await(deadline);
  }

  /** Sends one command without waiting for its answer. */
  public PendingReply send(String command, ObjectNode arguments, Deadline deadline)
      throws QmpException {
    long id = lastId.incrementAndGet();
    ObjectNode message = JSON.createObjectNode();
    message.put("execute", command);
    message.put("id", id);
    if (!arguments.isEmpty()) {
      message.set("arguments", arguments);
    }
    PendingReply answer = new PendingReply(id, command, inbox.expect(id));
    try {
      writer.write(message, command, deadline);
    } catch (QmpException | RuntimeException | Error e) {
      inbox.forget(id);
      throw e;
    }
    inbox.failIfOver(answer.message, command);
    return answer;
  }

  /** The answer to a command that was sent. */
  public final class PendingReply {
    private final long id;
    private final String command;
    private final CompletableFuture<JsonNode> message;

    private PendingReply(long id, String command, CompletableFuture<JsonNode> message) {
      this.id = id;
      this.command = command;
      this.message = message;
    }

    /** Returns whether the answer has arrived or can no longer arrive. */
    public boolean isComplete() {
      return message.isDone();
    }

    /** Returns whether the answer has arrived and is an error, or can no longer arrive. */
    public boolean failed() {
      return message.isCompletedExceptionally()
          || (message.isDone() && message.join().has("error"));
    }

    /**
     * Waits like {@link #await}, but without sleeping for the first milliseconds. Waking a thread
     * takes long, and longer when the kernel queues it on QEMU's processor although another one is
     * idle, because it expects QEMU to sleep after an answer (the "sync" wake-ups of unix sockets).
     */
    @SuppressWarnings("ThreadPriorityCheck") // It yields to QEMU.
    public JsonNode awaitAwake(Deadline deadline) throws QmpException {
      if (AWAKE_NANOS > 0 && reading.tryLock()) {
        try {
          long end = System.nanoTime() + Math.min(AWAKE_NANOS, deadline.remainingNanos());
          while (!message.isDone() && System.nanoTime() < end && reader.readSome() >= 0) {
            // QEMU may be queued on this processor: let it run first.
            Thread.yield();
          }
        } catch (IOException e) {
          // The connection is unusable; closing it lets the reading thread notice and fail all
          // answers.
          close();
        } finally {
          reading.unlock();
        }
        if (!message.isDone()) {
          resumeWakeups();
        }
      }
      return await(deadline);
    }

    /** Waits for the {@code return} value. If that fails, a later answer is dropped. */
    public JsonNode await(Deadline deadline) throws QmpException {
      try {
        JsonNode answer = deadline.await(message, command);
        JsonNode error = answer.get("error");
        if (error != null) {
          throw new QmpException(
              QmpException.Kind.REFUSED, command + ": " + error.path("desc").asText());
        }
        return answer.path("return");
      } finally {
        inbox.forget(id);
      }
    }
  }

  /** Returns whether the connection still stands, as far as is known. */
  public boolean open() {
    return !inbox.over();
  }

  /**
   * Returns a future for the {@code data} of the next event of this name with one of these values
   * of {@code status}. Call it before causing the event. Each name can have one waiter at a time.
   */
  public CompletableFuture<JsonNode> nextEvent(String name, Set<String> statuses) {
    return inbox.nextEvent(name, statuses);
  }

  /** Gives every later event and its {@code data} to a listener, which must not block. */
  public void onEvents(BiConsumer<String, JsonNode> listener) {
    inbox.listen(listener);
  }

  /**
   * Keeps answers from waking the reading thread, until {@link #resumeWakeups} or for a tenth of a
   * second. Meanwhile, answers come late to all callers that do not read them themselves.
   */
  public void deferWakeups() {
    if (AWAKE_NANOS > 0) {
      hushedUntil = System.nanoTime() + HUSHED_NANOS;
      selector.wakeup();
    }
  }

  public void resumeWakeups() {
    hushedUntil = System.nanoTime();
    LockSupport.unpark(thread);
  }

  private void read() {
    try {
      boolean more = true;
      while (more) {
        if (hushedUntil - System.nanoTime() > 0) {
          LockSupport.parkNanos(this, HUSHED_POLL_NANOS);
        } else {
          selector.select();
          selector.selectedKeys().clear();
        }
        reading.lock();
        try {
          more = reader.readSome() >= 0;
        } finally {
          reading.unlock();
        }
      }
    } catch (IOException | ClosedSelectorException e) {
      // A broken connection counts as ended.
    } finally {
      failAll();
    }
  }

  private void failAll() {
    inbox.fail();
    close();
    // Last, because its dependents may run any code on this thread.
    inbox.end();
  }

  @Override
  public void close() {
    // The selector first, because it keeps the channel open.
    closeQuietly(selector);
    closeQuietly(channel);
  }

  public static void closeQuietly(@Nullable Closeable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (IOException e) {
      // A failed close loses no data.
    }
  }
}
