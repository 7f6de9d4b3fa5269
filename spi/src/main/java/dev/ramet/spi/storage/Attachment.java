// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.storage;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The way by which a hypervisor or the page writer reaches a node's bytes. Valid until the node is
 * deleted. Later versions may add kinds, so a user of attachments refuses the ones it does not
 * know.
 */
public sealed interface Attachment {
  /** The kinds of attachments, as plugins state them in their facts. */
  enum Kind {
    /** {@link LocalFile}. */
    FILE,
    /** {@link BlockDevice}. */
    BLOCK_DEVICE,
    /** {@link Socket} that speaks {@link Protocol#NBD}. */
    NBD,
    /** {@link Socket} that speaks {@link Protocol#VHOST_USER}. */
    VHOST_USER;

    /** Returns the name that people read, for example {@code block-device}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** The protocols of sockets. */
  enum Protocol {
    /**
     * The network block device protocol in its fixed newstyle form, without TLS
     * (NetworkBlockDevice/nbd, doc/proto.md). The server lets several clients use one export at a
     * time and supports flush, trim and write-zeroes; all clients see each other's completed
     * writes.
     */
    NBD,
    /**
     * vhost-user with a virtio-blk back end (QEMU, docs/interop/vhost-user.rst). One machine at a
     * time is connected.
     */
    VHOST_USER
  }

  /** Returns the kind of this attachment. */
  Kind kind();

  /**
   * Returns the absolute path under which the bytes can be opened on this host.
   *
   * @throws RametException {@code UNSUPPORTED} if they are reached through a socket
   */
  Path path();

  /** Returns whether the node must not be written, which is so for snapshots. */
  boolean readOnly();

  /**
   * A regular, possibly sparse file.
   *
   * @param path its absolute path
   */
  record LocalFile(Path path, boolean readOnly) implements Attachment {
    @Override
    public Kind kind() {
      return Kind.FILE;
    }
  }

  /**
   * A block device.
   *
   * @param path its absolute path
   */
  record BlockDevice(Path path, boolean readOnly) implements Attachment {
    @Override
    public Kind kind() {
      return Kind.BLOCK_DEVICE;
    }
  }

  /**
   * A Unix domain socket whose server hands out the node's bytes. Machines outlive the host's
   * process, so the server must not end with it: it answers for as long as anyone is connected, and
   * at the same path after the root was opened again.
   *
   * @param socket its absolute path
   * @param protocol the protocol that the server speaks
   * @param export the name under which the server knows the node; empty for its only one, and with
   *     {@link Protocol#VHOST_USER}
   */
  record Socket(Path socket, Protocol protocol, String export, boolean readOnly)
      implements Attachment {
    @Override
    public Kind kind() {
      return protocol == Protocol.NBD ? Kind.NBD : Kind.VHOST_USER;
    }

    @Override
    public Path path() {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "this needs a file or block device, and the image is reached through the socket "
              + socket,
          "keep the image in a storage backend whose images are local, or export it from there",
          null);
    }
  }
}
