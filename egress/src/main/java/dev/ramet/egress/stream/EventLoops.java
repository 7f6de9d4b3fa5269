// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.stream;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * The threads of all proxies of this process. They are started when the first sandbox needs them
 * and do not keep the process from ending. Thread-safe.
 */
public final class EventLoops {
  private EventLoops() {}

  private static final class Holder {
    static final EventLoopGroup GROUP =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(),
            new DefaultThreadFactory("ramet-proxy", true),
            NioIoHandler.newFactory());

    /** A guest's connection has at most one task at a time, so the connections limit it. */
    static final Executor BLOCKING =
        Executors.newCachedThreadPool(new DefaultThreadFactory("ramet-proxy-work", true));
  }

  public static EventLoopGroup group() {
    return Holder.GROUP;
  }

  /** Runs tasks that may block, such as look-ups of names and secrets. */
  public static Executor blocking() {
    return Holder.BLOCKING;
  }
}
