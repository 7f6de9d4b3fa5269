// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests the frames by which a tunnel says that one direction ends. */
final class TunnelFramesTest {
  private final ByteArrayOutputStream wire = new ByteArrayOutputStream();

  private InputStream received() {
    return TunnelFrames.content(new ByteArrayInputStream(wire.toByteArray()));
  }

  @Test
  void writtenBytesAreReadUpToTheEnd() throws IOException {
    byte[] bytes = new byte[200_000];
    Arrays.fill(bytes, (byte) 7);
    try (OutputStream out = TunnelFrames.frames(wire)) {
      out.write(1);
      out.write(bytes);
      out.write(bytes, 0, 0); // an empty frame would be the end
    }
    wire.write(9); // after the end
    InputStream in = received();
    assertEquals(1, in.read());
    assertArrayEquals(bytes, in.readAllBytes());
    assertEquals(-1, in.read());
  }

  @Test
  void aConnectionThatBreaksIsNoEnd() throws IOException {
    OutputStream out = TunnelFrames.frames(wire);
    out.write(new byte[10]);
    assertThrows(EOFException.class, () -> received().readAllBytes());
    wire.write(new byte[] {0, 0});
    assertThrows(EOFException.class, () -> received().readAllBytes());
    wire.reset();
    wire.write(new byte[] {-1, 0, 0, 0});
    assertThrows(IOException.class, () -> received().readAllBytes());
  }
}
