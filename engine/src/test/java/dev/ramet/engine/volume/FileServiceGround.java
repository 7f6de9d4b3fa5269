// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ground for tests of the file service: a volume whose service is asked in the agent's protocol.
 */
abstract class FileServiceGround {
  static final int ENOENT = 2;
  static final int WRITE = 5;
  static final int CREATE = 6;
  static final int UNLINK = 8;

  @TempDir Path temporary;
  Path directory;
  OpenVolume volume;
  GuestFileServer service;
  long number;

  @BeforeEach
  void open() throws Exception {
    directory = Files.createDirectory(temporary.resolve("volume"));
    OpenVolume.make(directory);
    volume = OpenVolume.open(directory);
    service = new GuestFileServer(volume);
  }

  @AfterEach
  void close() {
    volume.close();
  }

  /** Reopens the volume as after the host was killed. */
  void reopen() throws Exception {
    volume.close();
    volume = OpenVolume.open(directory);
    service = new GuestFileServer(volume);
  }

  static byte[] place(boolean nameless, String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(3 + bytes.length)
        .put((byte) (nameless ? 1 : 0))
        .putShort((short) bytes.length)
        .put(bytes)
        .array();
  }

  static byte[] request(long number, boolean again, int operation, byte[]... parts) {
    ByteBuffer frame = ByteBuffer.allocate(1 << 18);
    frame.putLong(99).putLong(number).put((byte) (again ? 1 : 0)).put((byte) operation);
    for (byte[] part : parts) {
      frame.put(part);
    }
    byte[] bytes = new byte[frame.flip().remaining()];
    frame.get(bytes);
    return bytes;
  }

  ByteBuffer ask(byte[] request) {
    ByteBuffer answer = service.handle(ByteBuffer.wrap(request));
    assertEquals(99, answer.getLong());
    answer.getLong();
    return answer;
  }

  int errno(byte[] request) {
    return ask(request).getInt();
  }

  int errno(int operation, byte[]... parts) {
    return errno(request(++number, false, operation, parts));
  }

  static byte[] u8(int value) {
    return new byte[] {(byte) value};
  }

  static byte[] u32(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
    for (int value : values) {
      bytes.putInt(value);
    }
    return bytes.array();
  }

  static byte[] u64(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  byte[] create(String path) {
    return request(++number, false, CREATE, place(false, path), u32(0x1A4, 0, 0), u8(1));
  }

  static byte[] append(long number, boolean again, String path, String data) {
    return request(number, again, WRITE, place(false, path), u64(0), u64(0), u8(1), text(data));
  }

  Path file(String path) {
    return directory.resolve("files").resolve(path);
  }
}
