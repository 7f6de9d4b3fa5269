// SPDX-License-Identifier: Apache-2.0
package com.example.counting;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Sends orders to a machine, each over a new connection, so that threads may share it. Waits for an
 * answer until the machine ends or the thread is interrupted.
 */
record Control(String name, Path directory, ProcessHandle process) {
  private static final long LOOK_AGAIN_MILLIS = 2;

  /** Waits until the machine accepts orders. */
  void await(Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    while (!answers()) {
      if (!process.isAlive()) {
        throw Failures.ended(name, directory);
      }
      if (System.nanoTime() - end >= 0) {
        throw new RametException(
            ErrorCode.DEADLINE_EXCEEDED, "the machine " + name + " is not up after " + timeout);
      }
      try {
        Thread.sleep(LOOK_AGAIN_MILLIS);
      } catch (InterruptedException e) {
        throw Failures.interrupted("the machine " + name, e);
      }
    }
  }

  private boolean answers() {
    try {
      ask("memory");
      return true;
    } catch (ClosedByInterruptException e) {
      throw new RametException(ErrorCode.CANCELLED, "stopped waiting for " + name, e);
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Sends an order and returns the machine's answer. */
  String order(String order) {
    if (!process.isAlive()) {
      throw Failures.ended(name, directory);
    }
    String answer;
    try {
      answer = ask(order);
    } catch (ClosedByInterruptException e) {
      throw new RametException(ErrorCode.CANCELLED, "stopped: " + order + " of " + name, e);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine "
              + name
              + " does not take orders: "
              + e
              + "; "
              + Failures.lastWords(directory),
          e);
    }
    if (!answer.startsWith("ok ")) {
      throw new RametException(
          ErrorCode.HYPERVISOR_FAILED,
          "the machine " + name + " refused to " + order + ": " + answer);
    }
    return answer.substring("ok ".length());
  }

  private String ask(String order) throws IOException {
    Path socket = directory.resolve(TrialMachine.SOCKET);
    try (SocketChannel to = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      ByteBuffer line = ByteBuffer.wrap((order + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        to.write(line);
      }
      String answer = new BufferedReader(Channels.newReader(to, StandardCharsets.UTF_8)).readLine();
      if (answer == null) {
        throw new IOException("it hung up");
      }
      return answer;
    }
  }
}
