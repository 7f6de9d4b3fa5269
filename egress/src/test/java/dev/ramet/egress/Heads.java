// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import java.util.List;

/** Requests that programs understand in different ways, so that no proxy may pass them on. */
final class Heads {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a.test\r\n";

  /** Heads that are refused, for {@code a.test} where they name a host at all. */
  static final List<String> AMBIGUOUS =
      List.of(
          "GET / HTTP/1.1\nHost: a.test\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\n\n",
          "GET / HTTP/1.1\r\nHost: a.test\rX: y\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\0\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\u007fb\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX: a\u000bb\r\n\r\n",
          "GET / HTTP/1.1\r\n Host: a.test\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\n b\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\n\tX: c\r\n\r\n",
          "GET / HTTP/1.1\r\nX: y\r\n \r\nHost: a.test\r\n\r\n",
          "GET / HTTP/1.1\r\nHost : a.test\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length : 1\r\n\r\na",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX\t: y\r\n\r\n",
          "GET / HTTP/1.1\r\n: a.test\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX(: y\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a.test\r\nX\u00e4: y\r\n\r\n",
          "GET  / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET /  HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET\t/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
          " GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET /\r\nHost: a.test\r\n\r\n",
          "GET / HTTP/1.1 \r\nHost: a.test\r\n\r\n",
          "GET / HTTP/1.1 x\r\nHost: a.test\r\n\r\n",
          "GET / HTTP/1.2\r\nHost: a.test\r\n\r\n",
          "GET / HTTP/0.9\r\nHost: a.test\r\n\r\n",
          "GET / HTTP/2.0\r\nHost: a.test\r\n\r\n",
          "GET / http/1.1\r\nHost: a.test\r\n\r\n",
          "GET / ICY/1.1\r\nHost: a.test\r\n\r\n",
          "G(T / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "GET /\u00e4 HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "\r\nGET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "\0GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          POST + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
          POST + "Content-Length: 1\r\nContent-Length: 2\r\n\r\na",
          POST + "Content-Length: 1, 1\r\n\r\na",
          POST + "Content-Length: +1\r\n\r\na",
          POST + "Content-Length: -1\r\n\r\na",
          POST + "Content-Length: 0x1\r\n\r\na",
          POST + "Content-Length: 1 \u00a0\r\n\r\na",
          POST + "Content-Length:\r\n\r\na",
          POST + "Content-Length: 9999999999999999999\r\n\r\na",
          POST + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: chunked, identity\r\n\r\n",
          POST + "Transfer-Encoding: identity\r\n\r\n",
          POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n",
          POST + "Transfer-Encoding:\r\n\r\n",
          "POST / HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");

  /** Bodies in chunks that are refused. */
  static final List<String> BAD_CHUNKS =
      List.of(
          "5\nhello\r\n0\r\n\r\n",
          "5\r\nhello!\r\n0\r\n\r\n",
          "5\r\nhello\n0\r\n\r\n",
          "5\r\nhello0\r\n\r\n",
          "5\r\nhello\r\n\r\n0\r\n\r\n",
          "\r\nhello\r\n0\r\n\r\n",
          " 5\r\nhello\r\n0\r\n\r\n",
          "5 \r\nhello\r\n0\r\n\r\n",
          "5\t\r\nhello\r\n0\r\n\r\n",
          "-1\r\nhello\r\n0\r\n\r\n",
          "+5\r\nhello\r\n0\r\n\r\n",
          "0x5\r\nhello\r\n0\r\n\r\n",
          "5_0\r\nhello\r\n0\r\n\r\n",
          "5 ;a\r\nhello\r\n0\r\n\r\n",
          "5;a\nb\r\nhello\r\n0\r\n\r\n",
          "5;a\rb\r\nhello\r\n0\r\n\r\n",
          "5;" + "a".repeat(5000) + "\r\nhello\r\n0\r\n\r\n",
          "1000000000000000\r\nhello",
          "g\r\nhello\r\n0\r\n\r\n",
          "0\r\nX y\r\n\r\n",
          "0\r\nX : y\r\n\r\n",
          "0\r\nX: y\r\n z\r\n\r\n",
          "0\r\nX: y\n\r\n",
          "0\r\nX: \0\r\n\r\n",
          "0\r\n\n");

  private Heads() {}
}
