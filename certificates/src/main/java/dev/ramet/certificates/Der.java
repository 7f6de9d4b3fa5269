// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encodes ASN.1 values in DER (X.690), as far as certificates need it. */
final class Der {
  static final int BOOLEAN = 0x01;
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int OBJECT_IDENTIFIER = 0x06;
  static final int UTF8_STRING = 0x0c;
  static final int UTC_TIME = 0x17;
  static final int GENERALIZED_TIME = 0x18;
  static final int SEQUENCE = 0x30;
  static final int SET = 0x31;

  /** A context-specific tag around one primitive value. */
  static final int CONTEXT = 0x80;

  /** A context-specific tag around other values. */
  static final int CONSTRUCTED_CONTEXT = 0xa0;

  // RFC 5280, 4.1.2.5: the year of times before 2050 is written with two digits.
  private static final int FIRST_GENERALIZED_YEAR = 2050;
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter GENERALIZED =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private Der() {}

  /** Encodes a value from its parts. */
  static byte[] encode(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(tag);
    int length = content.size();
    if (length < 0x80) {
      whole.write(length);
    } else {
      int bytes = (32 - Integer.numberOfLeadingZeros(length) + 7) / 8;
      whole.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        whole.write(length >>> (8 * i));
      }
    }
    whole.writeBytes(content.toByteArray());
    return whole.toByteArray();
  }

  static byte[] sequence(byte[]... parts) {
    return encode(SEQUENCE, parts);
  }

  static byte[] integer(BigInteger value) {
    return encode(INTEGER, value.toByteArray());
  }

  static byte[] booleanTrue() {
    return encode(BOOLEAN, new byte[] {(byte) 0xff});
  }

  static byte[] utf8(String text) {
    return encode(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Encodes a bit string of whole bytes. */
  static byte[] bitString(byte[] bytes) {
    return encode(BIT_STRING, new byte[] {0}, bytes);
  }

  /** Encodes a bit string of one byte whose last bits are unused. */
  static byte[] bitString(int value, int unused) {
    return encode(BIT_STRING, new byte[] {(byte) unused, (byte) value});
  }

  static byte[] oid(String dotted) {
    String[] arcs = dotted.split("\\.", -1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(Integer.parseInt(arcs[0]) * 40 + Integer.parseInt(arcs[1]));
    for (int i = 2; i < arcs.length; i++) {
      int arc = Integer.parseInt(arcs[i]);
      for (int shift = 28; shift > 0; shift -= 7) {
        if (arc >>> shift != 0) {
          bytes.write(0x80 | (arc >>> shift & 0x7f));
        }
      }
      bytes.write(arc & 0x7f);
    }
    return encode(OBJECT_IDENTIFIER, bytes.toByteArray());
  }

  static byte[] time(Instant when) {
    boolean near = when.atZone(ZoneOffset.UTC).getYear() < FIRST_GENERALIZED_YEAR;
    String text = (near ? UTC : GENERALIZED).format(when);
    return encode(near ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }
}
