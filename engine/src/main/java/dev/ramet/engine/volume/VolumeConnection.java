// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import dev.ramet.agent.host.AgentAccess;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects one mount of a machine to its volume. The host connects to the guest's agent, and
 * reconnects as long as the machine runs. One thread serves the requests of the connection, one
 * after the other: so a guest keeps at most one thread of the host busy, and further requests wait
 * in the guest.
 *
 * <p>{@link #connect} and {@link #run} are for one thread; any thread may call {@link #close}.
 */
final class VolumeConnection implements Runnable, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(VolumeConnection.class.getName());
  private static final int VERSION = 1;
  private static final int MAX_FRAME_BYTES = GuestFileServer.MAX_DATA_BYTES + (32 << 10);
  private static final int CONNECT_MILLIS = 2_000;
  private static final int ANSWER_MILLIS = 15_000;
  private static final int MAX_HEAD_BYTES = 16 << 10;
  private static final int MAX_TOLD_BYTES = 4_000;
  private static final int BUFFER_BYTES = 64 << 10;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long MAX_PAUSE_MILLIS = 2_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String sandbox;
  private final Supplier<InetSocketAddress> address;
  private final AgentAccess access;
  private final String volumeId;
  private final String path;
  private final OpenVolume volume;
  private final BooleanSupplier alive;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closed;
  private volatile @Nullable Socket socket;

  /**
   * Creates a connection that is not connected yet.
   *
   * @param address returns the agent's address; may throw if the machine has ended
   * @param access the agent's credentials
   * @param volume closed with this
   * @param alive returns false once the machine has ended
   */
  VolumeConnection(
      String sandbox,
      Supplier<InetSocketAddress> address,
      AgentAccess access,
      String volumeId,
      String path,
      OpenVolume volume,
      BooleanSupplier alive) {
    this.sandbox = sandbox;
    this.address = address;
    this.access = access;
    this.volumeId = volumeId;
    this.path = path;
    this.volume = volume;
    this.alive = alive;
  }

  /**
   * Connects once.
   *
   * @throws IOException if the agent does not answer; it may later
   * @throws RametException {@code UNSUPPORTED} or {@code INVALID_ARGUMENT} if it never will
   */
  void connect() throws IOException {
    Socket fresh = new Socket();
    try {
      fresh.connect(address.get(), CONNECT_MILLIS);
      fresh.setTcpNoDelay(true);
      fresh.setSoTimeout(ANSWER_MILLIS);
      fresh.getOutputStream().write(request());
      readUpgradeResponse(fresh.getInputStream());
      fresh.setSoTimeout(0);
      ByteBuffer hello = ByteBuffer.allocate(16);
      hello.putInt(12).putInt(VERSION).putLong(RANDOM.nextLong());
      fresh.getOutputStream().write(hello.array());
    } catch (IOException | RuntimeException e) {
      fresh.close();
      throw e;
    }
    socket = fresh;
    if (closed) {
      fresh.close();
    }
  }

  private byte[] request() {
    String query =
        "?id="
            + URLEncoder.encode(volumeId, StandardCharsets.UTF_8)
            + "&path="
            + URLEncoder.encode(path, StandardCharsets.UTF_8);
    StringBuilder proof = new StringBuilder();
    access.headers().forEach((name, value) -> proof.append(name + ": " + value + "\r\n"));
    return ("POST /volume"
            + query
            + " HTTP/1.1\r\nHost: guest\r\nConnection: Upgrade\r\nUpgrade: ramet-volume\r\n"
            + "Content-Length: 0\r\n"
            + proof
            + "\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private void readUpgradeResponse(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ANSWER_MILLIS);
    while (!endsWithEmptyLine(head)) {
      int c = in.read();
      // A slow agent must not keep its caller waiting for ever.
      boolean late = System.nanoTime() - end > 0;
      if (c < 0 || late || head.length() == MAX_HEAD_BYTES) {
        throw new IOException("the guest's agent closed the connection or did not answer in time");
      }
      head.append((char) c);
    }
    String[] words = head.toString().split(" ", 3);
    String status = words.length > 1 ? words[1] : "";
    if (status.equals("101")) {
      return;
    }
    String told = errorMessage(in.readNBytes(contentLength(head.toString())));
    if (status.equals("400")) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "volumeMounts: " + path + ": " + told,
          "choose another path",
          null);
    }
    if (status.equals("404") || status.equals("501")) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the guest cannot mount volumes: " + told,
          "build its template again with this version of Ramet",
          null);
    }
    throw new IOException("the guest's agent answered " + status + ": " + told);
  }

  private static boolean endsWithEmptyLine(StringBuilder head) {
    int length = head.length();
    return length >= 4 && head.substring(length - 4).equals("\r\n\r\n");
  }

  private static int contentLength(String head) {
    String lower = head.toLowerCase(Locale.ROOT);
    int at = lower.indexOf("\r\ncontent-length:");
    if (at < 0) {
      return 0;
    }
    String digits = lower.substring(at + 17, lower.indexOf("\r\n", at + 2)).trim();
    return digits.matches("[0-9]{1,6}") ? Math.min(MAX_TOLD_BYTES, Integer.parseInt(digits)) : 0;
  }

  private static String errorMessage(byte[] body) {
    try {
      String message =
          JsonFile.tree(new String(body, StandardCharsets.UTF_8)).path("message").asText();
      // The text comes from an untrusted guest: a terminal must not interpret control characters.
      return message.replaceAll("\\p{Cntrl}", "?");
    } catch (IOException e) {
      return "the agent gave no reason";
    }
  }

  /** Serves requests until the machine ends or this is closed. */
  @Override
  public void run() {
    GuestFileServer service = new GuestFileServer(volume);
    long pause = FIRST_PAUSE_MILLIS;
    try {
      while (!closed && alive.getAsBoolean()) {
        Socket current = socket;
        if (current != null) {
          serve(service, current);
          socket = null;
          pause = FIRST_PAUSE_MILLIS;
        } else {
          boolean unused = ended.await(pause, TimeUnit.MILLISECONDS);
          pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
          reconnect();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closed = true;
      closeSocket();
      volume.close();
    }
  }

  private void reconnect() {
    try {
      if (!closed && alive.getAsBoolean()) {
        connect();
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(
          System.Logger.Level.DEBUG, () -> "volume " + volumeId + " of " + sandbox + " waits", e);
    }
  }

  private void serve(GuestFileServer service, Socket current) {
    byte[] frame = new byte[MAX_FRAME_BYTES];
    try (current;
        DataInputStream in =
            new DataInputStream(new BufferedInputStream(current.getInputStream(), BUFFER_BYTES));
        DataOutputStream out =
            new DataOutputStream(
                new BufferedOutputStream(current.getOutputStream(), BUFFER_BYTES))) {
      while (!closed) {
        int length = in.readInt();
        if (length < 0 || length > MAX_FRAME_BYTES) {
          throw new IOException("a frame of " + length + " bytes");
        }
        in.readFully(frame, 0, length);
        ByteBuffer answer = service.handle(ByteBuffer.wrap(frame, 0, length));
        out.writeInt(answer.remaining());
        out.write(answer.array(), 0, answer.remaining());
        if (in.available() == 0) {
          out.flush();
        }
      }
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.DEBUG, () -> "volume " + volumeId + " of " + sandbox + " broke", e);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "volume " + volumeId + " of " + sandbox, e);
    }
  }

  /** Ends the connection; its thread ends soon after. */
  @Override
  public void close() {
    closed = true;
    ended.countDown();
    closeSocket();
  }

  private void closeSocket() {
    Socket current = socket;
    if (current != null) {
      try {
        current.close();
      } catch (IOException e) {
        // The connection is gone all the same.
      }
    }
  }
}
