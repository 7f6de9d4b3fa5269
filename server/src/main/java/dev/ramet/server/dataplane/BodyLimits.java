// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.micronaut.http.body.stream.BodySizeLimits;
import io.micronaut.http.server.netty.handler.PipeliningServerHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;

/**
 * Sets the size limit of request bodies. Uploads have none, because they are streamed to disk;
 * other bodies are held in memory and stay limited. Immutable and thread-safe.
 *
 * @param usual the limits for all other bodies
 */
record BodyLimits(BodySizeLimits usual) {
  private static final String UPLOADS = "/uploads/";
  private static final String VOLUMES = "/volumecontent/";

  /** Sets the limit for the next request. */
  void apply(ChannelHandlerContext ctx, HttpRequest request) {
    PipeliningServerHandler routing = ctx.pipeline().get(PipeliningServerHandler.class);
    if (routing != null) {
      String uri = request.uri();
      boolean upload =
          request.method().equals(HttpMethod.PUT)
              && (uri.startsWith(UPLOADS) || uri.startsWith(VOLUMES));
      routing.setBodySizeLimits(
          upload ? new BodySizeLimits(Long.MAX_VALUE, usual.maxBufferSize()) : usual);
    }
  }
}
