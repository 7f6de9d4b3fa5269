// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.operation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.operation.ApiError;
import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.IdListener;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.InProgressException;
import dev.ramet.server.http.JsonBody;
import dev.ramet.spi.settings.Settings;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs what requests ask for, each as an operation, and a request with an idempotency key only
 * once. The response is stored and returned again, also after a restart of the host. If the host
 * was killed during the operation, the ids that the engine reserved show how it ended. Failures are
 * not stored, because they changed nothing: the request may be retried with the same key.
 * Thread-safe.
 */
@Singleton
public final class OperationRunner {
  /** Name of its directory within the data root. */
  static final String DIRECTORY = "requests";

  private static final int MAX_KEYS = 10_000;

  private final OperationRegistry operations;
  private final IdempotencyStore store;

  /** Fingerprints of running requests, by caller and key. */
  private final ConcurrentMap<String, String> running = new ConcurrentHashMap<>();

  OperationRunner(OperationRegistry operations, Settings settings) {
    this.operations = operations;
    this.store =
        new IdempotencyStore(settings.get(EngineConfig.DATA_ROOT).resolve(DIRECTORY), MAX_KEYS);
  }

  /** The work of an operation that is done once for each key. */
  @FunctionalInterface
  public interface Work<T> {
    /**
     * Does the work.
     *
     * @param operation takes its progress
     * @param ids must receive the ids of all that the work makes, before it makes them
     */
    OperationResult<T> apply(Operation operation, IdListener ids);
  }

  /** Runs an operation that may safely be repeated. */
  public <T> T run(OperationRequest asked, Function<Operation, T> work) {
    return execute(operations.begin(asked.kind(), asked.subject(), false), work);
  }

  /**
   * Runs an operation once for each key.
   *
   * @param reader parses the body of a stored response
   * @param work the operation
   * @param found the response for the ids that the engine had reserved when the host was killed, or
   *     empty when nothing was created
   * @throws RametException {@code KEY_REUSED} when the key was used for a different request
   * @throws InProgressException while the first request is still being processed
   */
  public <T> OperationResult<T> runOnce(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      Work<T> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    return runOnce(asked, reader, null, work, found);
  }

  /**
   * Runs an operation once for each key, within an operation that has already begun and ends with
   * it; null begins one.
   */
  public <T> OperationResult<T> runOnce(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      @Nullable Operation begun,
      Work<T> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    Operation operation =
        begun == null ? operations.begin(asked.kind(), asked.subject(), false) : begun;
    return execute(
        operation,
        op -> {
          OperationResult<T> outcome =
              asked.key() == null
                  ? work.apply(op, IdListener.NONE)
                  : runIdempotent(asked, reader, op, work, found);
          op.recordCreated(outcome.ids());
          return outcome;
        });
  }

  /** Refuses an unusable key at once, before work begins whose response comes later. */
  public void check(OperationRequest asked) {
    String key = asked.key();
    if (key != null) {
      String busy = running.get(lockKey(asked));
      if (busy != null) {
        refuse(asked, busy);
      }
      find(asked);
    }
  }

  private <T> T execute(Operation operation, Function<Operation, T> work) {
    ApiError failure =
        ApiError.of(ErrorCode.INTERNAL, "the host's log says more under " + operation.id(), null);
    try {
      T done = work.apply(operation);
      failure = null;
      return done;
    } catch (RametException e) {
      failure = ApiError.of(e.code(), String.valueOf(e.getMessage()), e.remedy(), e.field());
      throw e;
    } catch (InProgressException e) {
      failure = ApiError.of(ErrorCode.CONFLICT, String.valueOf(e.getMessage()), null);
      throw e;
    } finally {
      operations.end(operation, failure);
    }
  }

  private <T> OperationResult<T> runIdempotent(
      OperationRequest asked,
      Function<JsonNode, T> reader,
      Operation operation,
      Work<T> work,
      Function<List<String>, Optional<OperationResult<T>>> found) {
    String place = lockKey(asked);
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
          storeResult(asked, entry.ids(), made.get());
          return made.get();
        }
      }
      IntentRecorder intended = new IntentRecorder(asked);
      boolean done = false;
      try {
        OperationResult<T> outcome = work.apply(operation, intended);
        done = true;
        storeResult(asked, outcome.ids(), outcome);
        return outcome;
      } finally {
        if (!done && intended.told) {
          removeRecord(asked);
        }
      }
    } finally {
      running.remove(place);
    }
  }

  /** Stores the ids of the objects that are about to be created. Used by one thread. */
  private final class IntentRecorder implements IdListener {
    private final OperationRequest asked;
    private boolean told;

    IntentRecorder(OperationRequest asked) {
      this.asked = asked;
    }

    @Override
    public void assigning(List<String> ids) {
      told = true;
      put(asked, new IdempotencyStore.Entry(asked.fingerprint(), ids, 0, null));
    }
  }

  private static JsonNode body(IdempotencyStore.Entry entry) {
    JsonNode body = entry.body();
    if (body == null) {
      throw new IllegalStateException("a stored response has no body");
    }
    return body;
  }

  private static void refuse(OperationRequest asked, String fingerprint) {
    if (fingerprint.equals(asked.fingerprint())) {
      throw new InProgressException(String.valueOf(asked.key()));
    }
    throw new RametException(
        ErrorCode.KEY_REUSED,
        "the Idempotency-Key " + asked.key() + " was already used for another request",
        "use a new key for each new request",
        null);
  }

  private IdempotencyStore.@Nullable Entry find(OperationRequest asked) {
    try {
      IdempotencyStore.Entry entry = store.find(asked.caller(), fileName(asked));
      if (entry != null && !entry.fingerprint().equals(asked.fingerprint())) {
        refuse(asked, entry.fingerprint());
      }
      return entry;
    } catch (IOException e) {
      throw new RametException(ErrorCode.CORRUPT, "cannot read the stored response", e);
    }
  }

  private <T> void storeResult(
      OperationRequest asked, List<String> ids, OperationResult<T> outcome) {
    put(
        asked,
        new IdempotencyStore.Entry(
            asked.fingerprint(), ids, outcome.status(), JsonBody.node(outcome.body())));
  }

  private void put(OperationRequest asked, IdempotencyStore.Entry entry) {
    try {
      store.put(asked.caller(), fileName(asked), entry);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HOST_UNFIT,
          "cannot record a request with an Idempotency-Key: " + e.getMessage(),
          "make the data root writable, or leave out the header",
          e);
    }
  }

  private void removeRecord(OperationRequest asked) {
    try {
      store.remove(asked.caller(), fileName(asked));
    } catch (IOException e) {
      // The stored ids name objects that do not exist; a retry finds nothing and starts over.
    }
  }

  private static String lockKey(OperationRequest asked) {
    return asked.caller() + "/" + fileName(asked);
  }

  private static String fileName(OperationRequest asked) {
    return OperationRequest.digest(String.valueOf(asked.key()));
  }
}
