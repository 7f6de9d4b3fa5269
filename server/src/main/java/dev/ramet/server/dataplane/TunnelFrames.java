// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;

/**
 * The frames of a tunnel whose client asked for them: each begins with its length in four bytes,
 * and an empty one ends its direction. Neither a unix socket of Netty, nor TLS before 1.3, nor a
 * reverse proxy passes on that one side has ended its output, so the bytes say it.
 */
final class TunnelFrames {
  /** The header by which a client asks for frames and the host agrees to them. */
  static final String HEADER = "Ramet-Tunnel-Frames";

  /** The version of the frames. */
  static final String VERSION = "1";

  private static final int LENGTH_BYTES = 4;
  private static final int MAX_FRAME_BYTES = 1 << 20;
  private static final String PREPENDER = "ramet-tunnel-lengths";

  private TunnelFrames() {}

  /**
   * Puts the codec of the frames in front of a handler.
   *
   * @return the place in the pipeline from which a write has no frame
   */
  static ChannelHandlerContext addBefore(ChannelHandlerContext handler) {
    handler
        .pipeline()
        .addBefore(handler.name(), PREPENDER, new LengthFieldPrepender(LENGTH_BYTES))
        .addBefore(
            handler.name(),
            null,
            new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES));
    return handler.pipeline().context(PREPENDER);
  }
}
