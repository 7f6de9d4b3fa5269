// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The guest of a reference machine, as seen and driven from outside.
 *
 * @param pid the machine's process
 */
record MicroGuest(long pid) {
  private static final int PAGE_BYTES = 4096;

  private String order(String order) throws IOException {
    Path socket = Path.of("/proc", Long.toString(pid), "cwd", "api.sock");
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        BufferedReader in =
            new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        OutputStream out = Channels.newOutputStream(channel)) {
      out.write((order + "\n").getBytes(StandardCharsets.UTF_8));
      String answer = in.readLine();
      if (answer == null || !answer.startsWith("ok")) {
        throw new IOException(order + ": " + answer);
      }
      return answer.substring(2).strip();
    }
  }

  /** Adds one to the number that a page holds. */
  void write(int page) throws IOException {
    order("write " + page);
  }

  /** Returns the number that a page holds. Page 0 holds the guest's count. */
  long read(int page) throws IOException {
    long address = Long.parseLong(order("memory").split(" ", -1)[0]);
    try (RandomAccessFile in =
        new RandomAccessFile(Path.of("/proc", Long.toString(pid), "mem").toFile(), "r")) {
      in.seek(address + (long) page * PAGE_BYTES);
      return Long.reverseBytes(in.readLong());
    }
  }
}
