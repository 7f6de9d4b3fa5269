// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.monitor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * The messages that a monitor's clients wait for: the greeting, answers to commands, and events.
 * The end of the connection fails them all. Thread-safe.
 */
final class QmpInbox {
  private final CompletableFuture<JsonNode> greeting = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Map<String, Awaited> awaited = new ConcurrentHashMap<>();
  private final Map<Long, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
  private volatile BiConsumer<String, JsonNode> listener = (name, data) -> {};
  private volatile boolean over;

  private record Awaited(Set<String> statuses, CompletableFuture<JsonNode> data) {}

  CompletableFuture<JsonNode> greeting() {
    return greeting;
  }

  /** Returns whether the connection has ended. */
  boolean over() {
    return over;
  }

  void whenEnded(Runnable then) {
    var unused = ended.thenRun(then);
  }

  /** Starts to wait for the answer to the command with this number, which is not sent yet. */
  CompletableFuture<JsonNode> expect(long id) {
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    pending.put(id, answer);
    return answer;
  }

  /** Drops an answer when it arrives. */
  void forget(long id) {
    pending.remove(id);
  }

  /**
   * Fails an answer or event if the connection has ended, which may have failed all others before
   * this one was added.
   */
  void failIfOver(CompletableFuture<JsonNode> message, String what) {
    if (over) {
      message.completeExceptionally(QmpException.closed(what));
    }
  }

  CompletableFuture<JsonNode> nextEvent(String name, Set<String> statuses) {
    Awaited event = new Awaited(statuses, new CompletableFuture<>());
    awaited.put(name, event);
    failIfOver(event.data(), name);
    return event.data();
  }

  /** Gives every later event to a listener, in their order. */
  void listen(BiConsumer<String, JsonNode> to) {
    listener = to;
  }

  /**
   * Gives a message to its waiter, and an event to the listener too.
   *
   * @throws IOException if the line is no message of QMP
   */
  void dispatch(byte[] line) throws IOException {
    JsonNode message;
    try {
      message = Qmp.JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IOException("not QMP", e);
    }
    if (message.has("QMP")) {
      greeting.complete(message);
    } else if (message.has("event")) {
      String name = message.get("event").asText();
      JsonNode data = message.path("data");
      listener.accept(name, data);
      Awaited waiter = awaited.get(name);
      if (waiter != null && waiter.statuses().contains(data.path("status").asText())) {
        awaited.remove(name, waiter);
        waiter.data().complete(data);
      }
    } else {
      // An answer to a command that was given up has no waiter.
      CompletableFuture<JsonNode> waiting = pending.remove(message.path("id").asLong(-1));
      if (waiting != null) {
        waiting.complete(message);
      }
    }
  }

  /** Fails all waiters, and those to come. */
  void fail() {
    over = true;
    QmpException gone = QmpException.closed("monitor");
    greeting.completeExceptionally(gone);
    awaited.values().forEach(event -> event.data().completeExceptionally(gone));
    pending.values().forEach(answer -> answer.completeExceptionally(gone));
  }

  /** Runs the actions of {@link #whenEnded}, which may be any code, on this thread. */
  void end() {
    ended.complete(null);
  }
}
