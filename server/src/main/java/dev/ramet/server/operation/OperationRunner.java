// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.operation.ApiError;
import dev.ramet.engine.Intents;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.InProgressException;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.settings.ServerSettings;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Does what requests ask for: each as an operation, and one that carries an idempotency key only
 * once. Its answer is kept and given again, also by a host that was started anew; if the host was
 * killed in the middle, what the engine told of its intents says what became of it. What failed is
 * not kept, since it changed nothing: it may be tried again with the same key. Thread-safe.
 */
@Singleton
public final class OperationRunner {
  /** Below the data root. */
  static final String DIRECTORY = "requests";

  private static final int MOST_KEYS = 10_000;

  private final OperationLog operations;
  private final IdempotencyStore store;

  /** Fingerprints of what is being answered, by caller and key. */
  private final ConcurrentMap<String, String> running = new ConcurrentHashMap<>();

  OperationRunner(OperationLog operations, ServerSettings settings) {
    this.operations = operations;
    this.store = new IdempotencyStore(settings.dataRoot().resolve(DIRECTORY), MOST_KEYS);
  }

  /** Does something that may be done twice. */
  public <T> T run(OperationRequest asked, Function<Operation, T> work) {
    return operate(operations.begin(asked.kind(), asked.subject(), false), work);
  }

  /**
   * Does something once for each key.
   *
   * @param reader of the answer's body
   * @param work what to do
   * @param found the answer for the ids that the engine meant to give when the host was killed, or
   *     empty when it did not come so far
   * @throws RametException {@code KEY_REUSED} when the key came with another request
   * @throws InProgressException while the first one is being answered
   */
  public <T> OperationResult<T> once(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      Function<Operation, OperationResult<T>> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    return once(asked, reader, null, work, found);
  }

  /** The same as part of an operation that was begun, and ends with it; or null to begin one. */
  public <T> OperationResult<T> once(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      @Nullable Operation begun,
      Function<Operation, OperationResult<T>> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    Operation operation =
        begun == null ? operations.begin(asked.kind(), asked.subject(), false) : begun;
    return operate(
        operation,
        op -> {
          OperationResult<T> outcome =
              asked.key() == null ? work.apply(op) : repeatable(asked, reader, op, work, found);
          op.made(outcome.ids());
          return outcome;
        });
  }

  /** Refuses a key at once that cannot be used, before work begins that is answered later. */
  public void check(OperationRequest asked) {
    String key = asked.key();
    if (key != null) {
      String busy = running.get(place(asked));
      if (busy != null) {
        refuse(asked, busy);
      }
      find(asked);
    }
  }

  private <T> T operate(Operation operation, Function<Operation, T> work) {
    ApiError failure =
        ApiError.of(ErrorCode.INTERNAL, "the host's log tells more under " + operation.id(), null);
    try {
      T done = work.apply(operation);
      failure = null;
      return done;
    } catch (RametException e) {
      failure = ApiError.of(e.code(), String.valueOf(e.getMessage()), e.remedy());
      throw e;
    } catch (InProgressException e) {
      failure = ApiError.of(ErrorCode.CONFLICT, String.valueOf(e.getMessage()), null);
      throw e;
    } finally {
      operations.end(operation, failure);
    }
  }

  private <T> OperationResult<T> repeatable(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      Operation operation,
      Function<Operation, OperationResult<T>> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    String place = place(asked);
    String busy = running.putIfAbsent(place, asked.fingerprint());
    if (busy != null) {
      refuse(asked, busy);
    }
    try {
      IdempotencyStore.Entry entry = find(asked);
      if (entry != null && entry.answered()) {
        return new OperationResult<>(entry.status(), reader.apply(body(entry)), entry.ids());
      }
      if (entry != null) {
        Optional<OperationResult<T>> made = found.apply(entry.ids());
        if (made.isPresent()) {
          keep(asked, entry.ids(), made.get());
          return made.get();
        }
      }
      Intended intended = new Intended(asked);
      boolean done = false;
      try {
        OperationResult<T> outcome = Intents.telling(intended::tell, () -> work.apply(operation));
        done = true;
        keep(asked, outcome.ids(), outcome);
        return outcome;
      } finally {
        if (!done && intended.told) {
          forget(asked);
        }
      }
    } finally {
      running.remove(place);
    }
  }

  /** Puts on record what is about to be made. Used by one thread. */
  private final class Intended {
    private final OperationRequest asked;
    private boolean told;

    Intended(OperationRequest asked) {
      this.asked = asked;
    }

    void tell(List<String> ids) {
      told = true;
      put(asked, new IdempotencyStore.Entry(asked.fingerprint(), ids, 0, null));
    }
  }

  private static JsonNode body(IdempotencyStore.Entry entry) {
    JsonNode body = entry.body();
    if (body == null) {
      throw new IllegalStateException("an answer without a body is on record");
    }
    return body;
  }

  private static void refuse(OperationRequest asked, String fingerprint) {
    if (fingerprint.equals(asked.fingerprint())) {
      throw new InProgressException(String.valueOf(asked.key()));
    }
    throw new RametException(
        ErrorCode.KEY_REUSED,
        "the Idempotency-Key " + asked.key() + " came with another request before",
        "use a new key for each thing that is to be done once",
        null);
  }

  private IdempotencyStore.@Nullable Entry find(OperationRequest asked) {
    try {
      IdempotencyStore.Entry entry = store.find(asked.caller(), file(asked));
      if (entry != null && !entry.fingerprint().equals(asked.fingerprint())) {
        refuse(asked, entry.fingerprint());
      }
      return entry;
    } catch (IOException e) {
      throw new RametException(ErrorCode.CORRUPT, "cannot read the answer on record", e);
    }
  }

  private <T> void keep(OperationRequest asked, List<String> ids, OperationResult<T> outcome) {
    put(
        asked,
        new IdempotencyStore.Entry(
            asked.fingerprint(), ids, outcome.status(), JsonBody.node(outcome.body())));
  }

  private void put(OperationRequest asked, IdempotencyStore.Entry entry) {
    try {
      store.put(asked.caller(), file(asked), entry);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot put on record what a request with an Idempotency-Key does: " + e.getMessage(),
          "see that the data root can be written to, or leave the header out",
          e);
    }
  }

  private void forget(OperationRequest asked) {
    try {
      store.remove(asked.caller(), file(asked));
    } catch (IOException e) {
      // It names what is not there; a repetition finds nothing of it and begins anew.
    }
  }

  private static String place(OperationRequest asked) {
    return asked.caller() + "/" + file(asked);
  }

  private static String file(OperationRequest asked) {
    return OperationRequest.digest(String.valueOf(asked.key()));
  }
}
