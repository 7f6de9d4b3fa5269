// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.proxy;

import dev.ramet.server.ServerSettings;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import jakarta.inject.Singleton;

/** Puts a {@link FrontHandler} between the HTTP codec and routing of every connection. */
@Singleton
final class DataPlane implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private final Endpoints endpoints;
  private final ServerSettings settings;
  private final Upstreams upstreams = new Upstreams();

  DataPlane(Endpoints endpoints, ServerSettings settings) {
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
    public void onStreamPipelineBuilt() {
      ChannelPipeline pipeline = channel.pipeline();
      pipeline.addAfter(
          ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC,
          "ramet-front",
          new FrontHandler(endpoints, upstreams, settings.domain()));
    }
  }
}
