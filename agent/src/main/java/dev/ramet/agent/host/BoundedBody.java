// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads a guest's response with a size limit, because a hostile guest might never end it. */
final class BoundedBody implements BodySubscriber<byte[]> {
  static final int MAX_BYTES = 64 << 10;

  private final CompletableFuture<byte[]> result = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  /** Returns a handler for one response. */
  static BodyHandler<byte[]> bytes() {
    return head -> new BoundedBody();
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return result;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> items) {
    for (ByteBuffer item : items) {
      if (bytes.size() + item.remaining() > MAX_BYTES) {
        Flow.Subscription open = subscription;
        if (open != null) {
          open.cancel();
        }
        result.completeExceptionally(
            new IOException("the answer is larger than " + MAX_BYTES + " bytes"));
        return;
      }
      while (item.hasRemaining()) {
        bytes.write(item.get());
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    result.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    result.complete(bytes.toByteArray());
  }
}
