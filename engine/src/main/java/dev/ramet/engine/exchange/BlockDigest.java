// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * Computes the digest of an image by blocks: the SHA-256 of the SHA-256 digests of all its blocks
 * of 64 KiB, in order. Holes are not read, and blocks that two images have in common are read once
 * for both. Used by one thread.
 */
final class BlockDigest {
  /** Begins each digest by blocks, and no other. */
  static final String PREFIX = "64k:";

  static final int BLOCK = 64 << 10;

  private static final byte[] ZEROS = new byte[BLOCK];

  private final Fd file;
  private final long sizeBytes;
  private final ProgressMeter meter;
  private final MessageDigest all = ImageCopier.sha256();
  private final MessageDigest one = ImageCopier.sha256();
  private final byte[] ofZeros = one.digest(ZEROS);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
  // The next data at or after the last offset asked for.
  private long dataStart = -1;
  private long dataEnd = -1;

  private BlockDigest(Fd file, long sizeBytes, ProgressMeter meter) throws LinuxException {
    if (file.sizeBytes() < sizeBytes) {
      throw new RametException(
          ErrorCode.CORRUPT, file + " has " + file.sizeBytes() + " bytes, fewer than " + sizeBytes);
    }
    this.file = file;
    this.sizeBytes = sizeBytes;
    this.meter = meter;
  }

  /**
   * The digests of two images.
   *
   * @param base the base's
   * @param image the image's
   */
  record Pair(String base, String image) {}

  /** Returns whether this is a digest by blocks rather than one of the whole. */
  static boolean isByBlocks(String digest) {
    return digest.startsWith(PREFIX);
  }

  /**
   * Computes the digest of an image, of the same kind as another digest.
   *
   * @param kind the other digest
   * @throws RametException {@code CORRUPT} if the image is shorter
   */
  static String of(String kind, Fd file, long sizeBytes, ProgressMeter meter)
      throws LinuxException {
    return isByBlocks(kind)
        ? of(file, sizeBytes, meter)
        : ImageCopier.read(file, sizeBytes, null, meter).sha256();
  }

  /**
   * Computes the digest of an image by blocks.
   *
   * @throws RametException {@code CORRUPT} if the image is shorter
   */
  static String of(Fd file, long sizeBytes, ProgressMeter meter) throws LinuxException {
    BlockDigest digest = new BlockDigest(file, sizeBytes, meter);
    for (long at = 0; at < sizeBytes; at += BLOCK) {
      digest.add(digest.block(at));
    }
    return digest.finish();
  }

  /**
   * Computes the digests of an image and of its base.
   *
   * @param differing numbers of the blocks that differ; all others are read from the base only
   */
  static Pair ofBoth(
      Fd base, long baseBytes, Fd image, long imageBytes, BitSet differing, ProgressMeter meter)
      throws LinuxException {
    BlockDigest from = new BlockDigest(base, baseBytes, meter);
    BlockDigest to = new BlockDigest(image, imageBytes, meter);
    int number = 0;
    for (long at = 0; at < Math.max(baseBytes, imageBytes); at += BLOCK) {
      byte[] found = from.block(at);
      from.add(found);
      boolean same = !differing.get(number++) && from.length(at) == to.length(at);
      to.add(same ? found : to.block(at));
    }
    return new Pair(from.finish(), to.finish());
  }

  private int length(long at) {
    return (int) Math.max(0, Math.min(BLOCK, sizeBytes - at));
  }

  /** Returns the digest of the block at an offset; empty if that is after the end. */
  private byte[] block(long at) throws LinuxException {
    int length = length(at);
    if (length == 0) {
      return new byte[0];
    }
    meter.add(length);
    if (at >= dataEnd) {
      dataStart = ImageCopier.data(file, at, sizeBytes);
      dataEnd = ImageCopier.hole(file, dataStart, sizeBytes);
    }
    if (dataStart >= at + length) {
      if (length == BLOCK) {
        return ofZeros;
      }
      one.update(ZEROS, 0, length);
      return one.digest();
    }
    buffer.clear().limit(length);
    if (file.pread(buffer, at) < length) {
      throw new RametException(ErrorCode.CORRUPT, file + " ends before byte " + (at + length));
    }
    one.update(buffer.flip());
    return one.digest();
  }

  private void add(byte[] block) {
    all.update(block);
  }

  private String finish() {
    return PREFIX + HexFormat.of().formatHex(all.digest());
  }
}
