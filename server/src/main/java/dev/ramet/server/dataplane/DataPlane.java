// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import dev.ramet.server.dataplane.address.Endpoints;
import dev.ramet.server.http.AcceptedHosts;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.body.stream.BodySizeLimits;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.http.server.netty.configuration.NettyHttpServerConfiguration;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import jakarta.inject.Singleton;

/**
 * Inserts a {@link RequestRouter} between HTTP codec and routing into the pipeline of every
 * connection and every HTTP/2 stream.
 */
@Singleton
final class DataPlane implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private static final String NAME = "ramet-front";

  private final Endpoints endpoints;
  private final AcceptedHosts hosts;
  private final Settings settings;
  private final BodyLimits limits;
  private final UpstreamPool upstreams = new UpstreamPool();

  DataPlane(
      Endpoints endpoints,
      AcceptedHosts hosts,
      Settings settings,
      NettyHttpServerConfiguration configuration) {
    this.hosts = hosts;
    limits =
        new BodyLimits(
            new BodySizeLimits(
                configuration.getMaxRequestSize(), configuration.getMaxRequestBufferSize()));
    this.endpoints = endpoints;
    this.settings = settings;
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(new ForAnyChannel());
    return event.getBean();
  }

  private final class ForAnyChannel implements NettyServerCustomizer {
    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      return role == ChannelRole.CONNECTION ? new ForConnection(channel) : this;
    }
  }

  private final class ForConnection implements NettyServerCustomizer {
    private final Channel channel;

    ForConnection(Channel channel) {
      this.channel = channel;
    }

    @Override
    public NettyServerCustomizer specializeForChannel(Channel stream, ChannelRole role) {
      return new ForStream(stream);
    }

    @Override
    public void onInitialPipelineBuilt() {
      Http2FrameCodec codec = channel.pipeline().get(Http2FrameCodec.class);
      if (codec != null) {
        channel.pipeline().addLast(new IdleConnection(codec));
      }
    }

    @Override
    public void onStreamPipelineBuilt() {
      channel
          .pipeline()
          .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, NAME, newRouter());
    }
  }

  private final class ForStream implements NettyServerCustomizer {
    private final Channel stream;

    ForStream(Channel stream) {
      this.stream = stream;
    }

    @Override
    public void onStreamPipelineBuilt() {
      // As on a connection: an exchange reads only when it can take more.
      stream.config().setAutoRead(false);
      stream
          .pipeline()
          .addAfter(
              stream.pipeline().context(Http2StreamFrameToHttpObjectCodec.class).name(),
              NAME,
              newRouter());
    }
  }

  private RequestRouter newRouter() {
    return new RequestRouter(
        endpoints, upstreams, hosts, settings.find(HostSettings.DOMAIN).orElse(null), limits);
  }
}
