// SPDX-License-Identifier: Apache-2.0
/**
 * Carries the outbound connections of guests, changes their requests where rules say so, and keeps
 * guests from addresses that they must not reach.
 */
module dev.ramet.egress {
  requires transitive dev.ramet.errors;
  requires dev.ramet.certificates;
  requires dev.ramet.linux;
  requires io.netty.common;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.handler;
  requires io.netty.handler.proxy;
  requires io.netty.resolver;
  requires transitive io.netty.buffer;
  requires transitive io.netty.transport;
  requires static transitive org.jspecify;

  exports dev.ramet.egress.rule;
  exports dev.ramet.egress.filter to
      dev.ramet.engine;
  exports dev.ramet.egress.proxy to
      dev.ramet.engine;
  exports dev.ramet.egress.injection to
      dev.ramet.engine;
}
