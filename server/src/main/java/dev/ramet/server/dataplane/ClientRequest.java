// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.dataplane;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A client's request on its way to a guest. Its body is held until the guest is connected, then
 * sent. Used by one event loop.
 */
final class ClientRequest {
  private final HttpRequest head;
  private final HttpVersion version;
  private final boolean keepAlive;
  private final Deque<HttpContent> held = new ArrayDeque<>();
  private boolean bodySent;
  private boolean complete;

  /** Starts with the head as the client sent it, before its headers are changed for the guest. */
  ClientRequest(HttpRequest head) {
    this.head = head;
    this.version = head.protocolVersion();
    this.keepAlive = HttpUtil.isKeepAlive(head);
  }

  HttpRequest head() {
    return head;
  }

  HttpMethod method() {
    return head.method();
  }

  /** Returns the version that the client sent. */
  HttpVersion version() {
    return version;
  }

  /** Records that content arrived. Returns false if it is malformed. */
  boolean arrived(HttpContent content) {
    boolean broken = content.decoderResult().isFailure();
    complete |= content instanceof LastHttpContent && !broken;
    return !broken;
  }

  /** Returns whether all of the body has arrived. */
  boolean isComplete() {
    return complete;
  }

  /** Returns whether the request is idempotent, and its body is known to be empty. */
  boolean isRepeatable() {
    return complete
        && !bodySent
        && (head.method().equals(HttpMethod.GET) || head.method().equals(HttpMethod.HEAD));
  }

  /** Returns whether this request allows the client's connection to be reused. */
  boolean mayKeepAlive() {
    return keepAlive && complete;
  }

  /** Says in the head of the host's own response whether the client's connection stays open. */
  void announce(HttpResponse response) {
    if (!mayKeepAlive()) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!version.equals(HttpVersion.HTTP_1_1)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  /** Keeps content for {@link #start}. */
  void hold(HttpContent content) {
    held.add(content);
  }

  /** Sends the head and the content that was held. */
  void start(Channel guest) {
    ChannelWrites.write(guest, head);
    while (!held.isEmpty()) {
      send(guest, held.poll());
    }
    guest.flush();
  }

  /** Sends content without flushing. */
  void send(Channel guest, HttpContent content) {
    bodySent |= content.content().isReadable();
    ChannelWrites.write(guest, content);
  }

  /** Drops the content that was held. */
  void release() {
    held.forEach(ReferenceCountUtil::release);
    held.clear();
  }
}
