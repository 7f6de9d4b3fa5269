// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends calls with the JDK's HTTP client. */
public final class HttpCalls {
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private HttpCalls() {}

  /** Sets method, header fields and body of a request. */
  public static HttpRequest.Builder onto(HttpRequest.Builder request, Call call) {
    call.headers().forEach(request::setHeader);
    return request.method(call.method(), body(call.content()));
  }

  /**
   * Sends a request and waits for as much of the response as the handler wants: a request's own
   * timeout covers only the headers.
   *
   * @param limit how long it may take, or null for any time
   * @param waiting called about once a second; an exception from it ends the call
   * @throws HttpTimeoutException when it takes too long
   * @throws IOException when the connection breaks
   */
  public static <T> HttpResponse<T> send(
      HttpClient client,
      HttpRequest request,
      BodyHandler<T> handler,
      @Nullable Duration limit,
      Runnable waiting)
      throws IOException, InterruptedException {
    long limitNanos = limit == null ? Long.MAX_VALUE : limit.toNanos();
    long begin = System.nanoTime();
    CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, handler);
    try {
      while (true) {
        long left = limitNanos - (System.nanoTime() - begin);
        try {
          return answer.get(Math.max(1, Math.min(left, SECOND_NANOS)), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          waiting.run();
          if (left <= SECOND_NANOS) {
            throw new HttpTimeoutException("no answer within " + limitNanos / 1_000_000 + " ms");
          }
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
    } finally {
      answer.cancel(true);
    }
  }

  private static BodyPublisher body(@Nullable Content content) {
    if (content == null || content.length() == 0) {
      return BodyPublishers.noBody();
    }
    BodyPublisher stream = BodyPublishers.ofInputStream(content.source());
    return content.length() < 0 ? stream : BodyPublishers.fromPublisher(stream, content.length());
  }
}
