// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.impl.io.ChunkedInputStream;
import org.apache.hc.core5.http.impl.io.ChunkedOutputStream;
import org.apache.hc.core5.http.impl.io.ContentLengthInputStream;
import org.apache.hc.core5.http.impl.io.ContentLengthOutputStream;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestWriter;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.impl.io.IdentityInputStream;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.impl.io.SessionOutputBufferImpl;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request over the host's unix socket, which the JDK's client does not support. Apache HttpCore
 * writes and parses the messages. Used like any {@link HttpURLConnection}, by one thread.
 */
final class SocketConnection extends HttpURLConnection {
  private static final int BUFFER = 16 << 10;
  private static final int FIRST_FINAL_STATUS = 200;
  private static final int FIRST_ERROR = 400;

  private final Path path;
  private final SessionOutputBufferImpl output = new SessionOutputBufferImpl(BUFFER);
  private final SessionInputBufferImpl input = new SessionInputBufferImpl(BUFFER);
  private @Nullable UnixSocket socket;
  private @Nullable OutputStream body;
  private @Nullable ClassicHttpResponse response;
  private @Nullable InputStream answer;

  SocketConnection(URL url, Path path) {
    super(url);
    this.path = path;
  }

  @Override
  public void connect() throws IOException {
    if (!connected) {
      send(doOutput ? 0 : -1);
    }
  }

  /**
   * Connects and sends the request's head.
   *
   * @param length size of the body in bytes, -1 when there is no body
   */
  private UnixSocket send(long length) throws IOException {
    String query = url.getFile();
    BasicClassicHttpRequest request =
        new BasicClassicHttpRequest(method, query.isEmpty() ? "/" : query);
    request.addHeader("Host", url.getAuthority());
    for (Map.Entry<String, List<String>> header : getRequestProperties().entrySet()) {
      header.getValue().forEach(value -> request.addHeader(header.getKey(), value));
    }
    request.addHeader("Connection", "close");
    if (chunkLength > 0) {
      request.addHeader("Transfer-Encoding", "chunked");
    } else if (length >= 0) {
      request.addHeader("Content-Length", Long.toString(length));
    }
    UnixSocket opened = UnixSocket.connect(path, getReadTimeout());
    socket = opened;
    connected = true;
    try {
      new DefaultHttpRequestWriter().write(request, output, opened.output());
    } catch (HttpException e) {
      throw new IOException(e);
    }
    return opened;
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    if (!doOutput) {
      throw new java.net.ProtocolException("this request has no body");
    }
    if (body == null) {
      if (chunkLength > 0) {
        body = new ChunkedOutputStream(output, send(-1).output(), chunkLength);
      } else if (fixedContentLengthLong >= 0) {
        UnixSocket opened = send(fixedContentLengthLong);
        body = new ContentLengthOutputStream(output, opened.output(), fixedContentLengthLong);
      } else {
        body = new ByteArrayOutputStream(); // sent when its length is known
      }
    }
    return body;
  }

  private ClassicHttpResponse response() throws IOException {
    ClassicHttpResponse known = response;
    if (known != null) {
      return known;
    }
    UnixSocket open = socket;
    if (open == null) {
      byte[] bytes = body instanceof ByteArrayOutputStream all ? all.toByteArray() : null;
      open = send(bytes == null ? -1 : bytes.length);
      if (bytes != null) {
        output.write(bytes, open.output());
      }
    }
    try {
      output.flush(open.output());
    } catch (IOException e) {
      // The host may have refused the request before all of it was sent: its response says why.
    }
    try {
      do {
        known = new DefaultHttpResponseParser().parse(input, open.input());
        if (known == null) {
          throw new IOException("the host closed the connection");
        }
      } while (known.getCode() < FIRST_FINAL_STATUS);
    } catch (HttpException e) {
      throw new IOException(e);
    }
    response = known;
    responseCode = known.getCode();
    responseMessage = known.getReasonPhrase();
    answer = content(known, open);
    return known;
  }

  private InputStream content(ClassicHttpResponse from, UnixSocket open) throws IOException {
    boolean empty = from.getCode() == HTTP_NO_CONTENT || from.getCode() == HTTP_NOT_MODIFIED;
    if (empty || method.equals("HEAD")) {
      return InputStream.nullInputStream();
    }
    if ("chunked".equalsIgnoreCase(header(from, "Transfer-Encoding"))) {
      return new ChunkedInputStream(input, open.input());
    }
    String length = header(from, "Content-Length");
    try {
      return length == null
          ? new IdentityInputStream(input, open.input())
          : new ContentLengthInputStream(input, open.input(), Long.parseLong(length));
    } catch (NumberFormatException e) {
      throw new IOException("the answer's length is not a number", e);
    }
  }

  private static @Nullable String header(ClassicHttpResponse from, String name) {
    try {
      Header header = from.getHeader(name);
      return header == null ? null : header.getValue();
    } catch (ProtocolException e) {
      return null; // repeated header: treated as absent
    }
  }

  @Override
  public int getResponseCode() throws IOException {
    return response().getCode();
  }

  @Override
  public @Nullable String getHeaderField(String name) {
    try {
      return header(response(), name);
    } catch (IOException e) {
      return null; // as the JDK's client does; the reader of the response gets the error
    }
  }

  @Override
  public InputStream getInputStream() throws IOException {
    ClassicHttpResponse got = response();
    InputStream open = answer;
    if (got.getCode() >= FIRST_ERROR || open == null) {
      throw new IOException("the host answered " + got.getCode());
    }
    return open;
  }

  @Override
  public @Nullable InputStream getErrorStream() {
    return responseCode >= FIRST_ERROR ? answer : null;
  }

  @Override
  public void disconnect() {
    UnixSocket open = socket;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public boolean usingProxy() {
    return false;
  }
}
