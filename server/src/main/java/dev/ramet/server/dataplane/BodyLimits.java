// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.micronaut.http.body.stream.BodySizeLimits;
import io.micronaut.http.server.netty.handler.PipeliningServerHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;

/**
 * Lets the bodies of uploads be as large as they are, since those go to the disk as they come;
 * others are held in memory, and stay limited. Immutable and thread-safe.
 *
 * @param usual for all others
 */
record BodyLimits(BodySizeLimits usual) {
  private static final String UPLOADS = "/uploads/";
  private static final String VOLUMES = "/volumecontent/";

  /** Sets what holds for the request that comes next. */
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
