// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.injection;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.util.function.BooleanSupplier;

/** Encodes responses to a guest; those to {@code HEAD} have no body. */
final class ResponseEncoder extends HttpResponseEncoder {
  private final BooleanSupplier toHead;

  ResponseEncoder(BooleanSupplier toHead) {
    this.toHead = toHead;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse response) {
    return toHead.getAsBoolean() || super.isContentAlwaysEmpty(response);
  }
}
