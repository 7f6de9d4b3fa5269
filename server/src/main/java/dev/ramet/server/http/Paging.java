// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Splits lists into pages. A token holds the last entry of the previous page, so pages stay correct
 * when entries appear or disappear between two requests. Thread-safe.
 *
 * @param <T> type of the entries
 */
public final class Paging<T> {
  private static final int MAX = 100;

  private final Function<T, Instant> time;
  private final Function<T, String> id;

  public Paging(Function<T, Instant> time, Function<T, String> id) {
    this.time = time;
    this.id = id;
  }

  private record Key(Instant time, String id) {
    static final Comparator<Key> OLDEST_FIRST =
        Comparator.comparing(Key::time).thenComparing(Key::id);

    String token() {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString((time + " " + id).getBytes(StandardCharsets.UTF_8));
    }

    static Key parse(String token) {
      try {
        String[] parts =
            new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split(" ", 2);
        if (parts.length == 2) {
          return new Key(Instant.parse(parts[0]), parts[1]);
        }
      } catch (IllegalArgumentException | DateTimeException e) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT, "nextToken: did not come from this host", e);
      }
      throw RametException.invalid("nextToken", "did not come from this host");
    }
  }

  /**
   * Returns one page.
   *
   * @param all all entries, in any order
   * @param oldestFirst whether the oldest entry comes first
   * @param limit entries per page, 1 to 100, or null for 100
   * @param token token of the previous page, or null for the first page
   * @param view converts an entry to its wire form
   * @return the page; its header {@code x-next-token} has the token for the next page, if there is
   *     one
   */
  public <V> HttpResponse<List<V>> page(
      List<T> all,
      boolean oldestFirst,
      @Nullable Integer limit,
      @Nullable String token,
      Function<T, V> view) {
    FieldValidation.range("limit", limit, 1, MAX);
    int size = limit == null ? MAX : limit;
    Comparator<Key> order = oldestFirst ? Key.OLDEST_FIRST : Key.OLDEST_FIRST.reversed();
    Key after = token == null || token.isEmpty() ? null : Key.parse(token);
    List<T> rest = new ArrayList<>();
    for (T entry : all) {
      if (after == null || order.compare(key(entry), after) > 0) {
        rest.add(entry);
      }
    }
    rest.sort(Comparator.comparing(this::key, order));
    List<T> page = rest.subList(0, Math.min(size, rest.size()));
    MutableHttpResponse<List<V>> response = HttpResponse.ok(page.stream().map(view).toList());
    if (rest.size() > page.size()) {
      response.header("x-next-token", key(page.get(page.size() - 1)).token());
    }
    return response;
  }

  private Key key(T entry) {
    return new Key(time.apply(entry), id.apply(entry));
  }
}
