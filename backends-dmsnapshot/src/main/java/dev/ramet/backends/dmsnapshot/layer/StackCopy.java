// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import dev.ramet.backends.copy.CopyReporter;
import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.file.Fd;
import dev.ramet.spi.storage.image.CopyProgress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies the combined content of a stack of layers into one file. The layers must not change
 * meanwhile, but their files may be renamed or deleted.
 */
public final class StackCopy implements AutoCloseable {
  private static final int PIECE_BYTES = 1 << 20;
  private static final int PIECE_CHUNKS = PIECE_BYTES / CowStore.CHUNK_BYTES;
  private static final long STRETCH_BYTES = 16 << 20;

  private final List<Layer> layers;
  private final List<Fd> sources = new ArrayList<>();

  private StackCopy(List<Layer> layers) {
    this.layers = layers;
  }

  /** Is called after every copied piece, and may sleep to limit the rate. */
  @FunctionalInterface
  public interface Pace {
    /** Does not limit the rate. */
    Pace NONE = bytes -> {};

    /** Reports this many more copied bytes. */
    void copied(long bytes);
  }

  /**
   * Opens layers.
   *
   * @param layers the layers, the top first, each standing on the next
   */
  static StackCopy open(LayerFiles files, List<Layer> layers) throws LinuxException {
    StackCopy copy = new StackCopy(layers);
    boolean done = false;
    try {
      for (Layer layer : layers) {
        copy.sources.add(files.open(layer, false));
      }
      done = true;
      return copy;
    } finally {
      if (!done) {
        copy.close();
      }
    }
  }

  /** Returns the layers, the top first. */
  List<Layer> layers() {
    return layers;
  }

  /** Writes an image, with holes where nothing was ever written. The last layer must be flat. */
  public void writeImage(Fd target, long sizeBytes, CopyProgress progress, Pace pace)
      throws LinuxException {
    int last = sources.size() - 1;
    Fd base = sources.get(last);
    TableUnion union = TableUnion.merge(tables(sources.subList(0, last)));
    SparseCopy copy = new SparseCopy();
    target.truncate(sizeBytes);
    int line = 0;
    for (long at = 0; at < sizeBytes; ) {
      long data = base.seekData(at);
      long chunk = line < union.size() ? union.chunk(line) * CowStore.CHUNK_BYTES : sizeBytes;
      at = Math.min(chunk, data < 0 ? sizeBytes : data);
      long end = Math.min(sizeBytes, at + STRETCH_BYTES);
      if (at < end) {
        pace.copied(copy.copyRange(base, target, at, end));
        line = chunks(target, union, line, end, true, pace);
      }
      at = end;
      CopyReporter.report(progress, at, sizeBytes);
    }
  }

  /** Writes a store with the combined content of the layers. None of them may be flat. */
  void writeStore(Fd target, long sizeBytes, Pace pace) throws LinuxException {
    CowStore.initialize(target, sizeBytes);
    TableUnion union = TableUnion.merge(tables(sources));
    chunks(target, union, 0, Long.MAX_VALUE, false, pace);
    CowStore.writeTable(target, union.chunks());
  }

  private static List<CowStore.Table> tables(List<Fd> sources) throws LinuxException {
    List<CowStore.Table> tables = new ArrayList<>();
    for (Fd source : sources) {
      tables.add(CowStore.read(source));
    }
    return tables;
  }

  /**
   * Copies chunks, starting with a given entry of the union.
   *
   * @param endBytes the position on the device before which chunks are copied
   * @param inPlace whether to write chunks to their positions on the device, or else to the places
   *     that a store has for their entries
   * @return the entry after the last one copied
   */
  private int chunks(
      Fd target, TableUnion union, int from, long endBytes, boolean inPlace, Pace pace)
      throws LinuxException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES);
    long end = endBytes / CowStore.CHUNK_BYTES;
    int at = from;
    while (at < union.size() && union.chunk(at) < end) {
      long source = union.storeChunk(at);
      long to = targetChunk(union, at, inPlace);
      int length = 1;
      while (at + length < union.size()
          && length < PIECE_CHUNKS
          && union.chunk(at + length) < end
          && union.source(at + length) == union.source(at)
          && union.storeChunk(at + length) == source + length
          && targetChunk(union, at + length, inPlace) == to + length) {
        length++;
      }
      buffer.clear().limit(length * CowStore.CHUNK_BYTES);
      sources.get(union.source(at)).pread(buffer, source * CowStore.CHUNK_BYTES);
      target.pwrite(buffer.flip(), to * CowStore.CHUNK_BYTES);
      pace.copied(length * (long) CowStore.CHUNK_BYTES);
      at += length;
    }
    return at;
  }

  private static long targetChunk(TableUnion union, int line, boolean inPlace) {
    return inPlace ? union.chunk(line) : CowStore.chunkIndex(line);
  }

  @Override
  public void close() {
    sources.forEach(Fd::close);
  }
}
