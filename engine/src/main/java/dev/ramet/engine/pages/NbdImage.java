// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.engine.nbd.NbdClient;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.storage.Attachment;
import java.io.IOException;
import java.nio.file.Path;

/** A memory image that is written through an NBD server. */
final class NbdImage implements ImageTarget {
  private final Path socket;
  private final String name;
  private final NbdClient client;

  private NbdImage(Path socket, String name, NbdClient client) {
    this.socket = socket;
    this.name = name;
    this.client = client;
  }

  static NbdImage open(Attachment.Socket image) {
    String name = image.export() + " at " + image.socket();
    if (image.readOnly()) {
      throw new RametException(ErrorCode.CONFLICT, "memory image is read-only: " + name);
    }
    NbdClient client;
    try {
      client = NbdClient.connect(image.socket(), image.export());
    } catch (IOException e) {
      throw failure(image.socket(), name, e);
    }
    if (client.readOnly()) {
      client.close();
      throw new RametException(ErrorCode.CONFLICT, "memory image is read-only: " + name);
    }
    return new NbdImage(image.socket(), name, client);
  }

  private static RametException failure(Path socket, String name, IOException e) {
    boolean full = e instanceof NbdClient.Refused refused && refused.noSpace();
    return new RametException(
        full ? ErrorCode.NO_SPACE : ErrorCode.HOST_UNFIT,
        "memory image " + name + " cannot be written: " + e.getMessage(),
        full
            ? "delete snapshots or sandboxes that are not needed, or add space where images are kept"
            : "find out whether a server answers at " + socket,
        e);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long sizeBytes() {
    return client.sizeBytes();
  }

  @Override
  public void write(NativeBuffer from, long bufferOffset, long lengthBytes, long imageOffset) {
    try {
      client.write(from.view(bufferOffset, (int) lengthBytes), imageOffset);
    } catch (IOException e) {
      throw failure(socket, name, e);
    }
  }

  @Override
  public boolean punchHole(long imageOffset, long lengthBytes) {
    if (!client.writesZeroes()) {
      return false;
    }
    try {
      client.writeZeroes(imageOffset, lengthBytes);
      return true;
    } catch (IOException e) {
      throw failure(socket, name, e);
    }
  }

  /** The server decides when it writes back. */
  @Override
  public void beginWriteBack(long imageOffset, long lengthBytes) {}

  @Override
  public void close() {
    client.close();
  }
}
