// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/** The first message of a TLS client. */
final class Hello {
  private Hello() {}

  /** That of this JDK for a server of this name. */
  static byte[] of(String name) throws IOException {
    try {
      SSLEngine engine = SSLContext.getDefault().createSSLEngine();
      engine.setUseClientMode(true);
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(name)));
      engine.setSSLParameters(parameters);
      engine.beginHandshake();
      ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
      engine.wrap(ByteBuffer.allocate(0), out);
      byte[] hello = new byte[out.flip().remaining()];
      out.get(hello);
      return hello;
    } catch (SSLException | java.security.NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }
}
