// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An HTTP/2 connection with TLS that sends what no client library would send. */
final class RawHttp2 implements AutoCloseable {
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel connection;

  RawHttp2(TlsHost to) throws Exception {
    SslContext tls =
        SslContextBuilder.forClient()
            .trustManager(to.ca.toFile())
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2))
            .build();
    connection =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(tls.newHandler(channel.alloc(), "localhost", to.host.port()))
                        .addLast(Http2FrameCodecBuilder.forClient().validateHeaders(false).build())
                        .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                  }
                })
            .connect(InetAddress.getLoopbackAddress(), to.host.port())
            .sync()
            .channel();
  }

  boolean isOpen() {
    return connection.isActive();
  }

  /** Waits until the other side has closed the connection. */
  void awaitClosed() throws Exception {
    connection.closeFuture().get(10, TimeUnit.SECONDS);
  }

  /** Sends a request's head. */
  Stream send(boolean end, String method, String authority, String path, String... headers)
      throws Exception {
    Http2Headers head =
        new DefaultHttp2Headers(false)
            .method(method)
            .scheme("https")
            .authority(authority)
            .path(path);
    for (int i = 0; i < headers.length; i += 2) {
      head.add(headers[i], headers[i + 1]);
    }
    Http2StreamChannel channel =
        new Http2StreamChannelBootstrap(connection)
            .handler(new ChannelInboundHandlerAdapter())
            .open()
            .sync()
            .get();
    Stream stream = new Stream(channel);
    channel.pipeline().addLast(stream);
    channel.writeAndFlush(new DefaultHttp2HeadersFrame(head, end)).sync();
    return stream;
  }

  /** A request and its response. */
  static final class Stream extends ChannelInboundHandlerAdapter {
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final Http2StreamChannel channel;

    Stream(Http2StreamChannel channel) {
      this.channel = channel;
    }

    /**
     * Returns the next of: a status, {@code data TEXT}, {@code end}, {@code reset CODE}, {@code
     * closed}.
     */
    String next() throws Exception {
      String next = seen.poll(20, TimeUnit.SECONDS);
      if (next == null) {
        throw new IOException("nothing came");
      }
      return next;
    }

    void data(String text, boolean end) throws Exception {
      channel
          .writeAndFlush(
              new DefaultHttp2DataFrame(
                  Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1), end))
          .sync();
    }

    void reset() throws Exception {
      channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL)).sync();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      boolean end = false;
      if (message instanceof Http2HeadersFrame head) {
        if (head.headers().status() != null) {
          seen.add(head.headers().status().toString());
        }
        end = head.isEndStream();
      } else if (message instanceof Http2DataFrame data) {
        if (data.content().isReadable()) {
          seen.add("data " + data.content().toString(StandardCharsets.ISO_8859_1));
        }
        end = data.isEndStream();
      } else if (message instanceof Http2ResetFrame reset) {
        seen.add("reset " + reset.errorCode());
      }
      if (end) {
        seen.add("end");
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof Http2ResetFrame reset) {
        seen.add("reset " + reset.errorCode());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      seen.add("closed");
    }
  }

  @Override
  public void close() throws Exception {
    connection.close().sync();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }
}
