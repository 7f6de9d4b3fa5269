// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.CacheReader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * The image that a capture overlays, used to find selected pages whose content did not change, so
 * that they need not be written again. It never waits for a device, which would cost more than
 * writing: it looks only at the page cache, which has most of these pages because a machine's first
 * write to a page reads it. If hardly any page is found this way, it looks at few of them. Used by
 * one thread at a time.
 */
final class BasePages implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BasePages.class.getName());
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PIECE_BYTES = 1 << 20;

  private final CacheReader base;
  private final Path path;

  /** Pages of the image that no longer equal the base. */
  private final BitSet changed = new BitSet();

  private final SearchPayoff payoff = new SearchPayoff();

  /** The range that the reader's view holds, and the end of the range that was tried. */
  private long loadedFrom;

  private long loadedTo;
  private long triedTo;
  private boolean readable = true;

  private BasePages(CacheReader base, Path path) {
    this.base = base;
    this.path = path;
  }

  /**
   * Opens the base.
   *
   * @throws LinuxException when it cannot be opened
   */
  static BasePages open(Path base) throws LinuxException {
    return new BasePages(CacheReader.open(base, PIECE_BYTES), base);
  }

  /** Records that a part of the image was written or made a hole. */
  void markChanged(long imageOffset, long lengthBytes) {
    changed.set((int) (imageOffset / PAGE), (int) ((imageOffset + lengthBytes) / PAGE));
  }

  /**
   * Returns whether the image already holds this page, as far as this can be determined without
   * waiting.
   *
   * @param view the memory that holds the page; its position and limit are moved
   * @param at the page's offset in the view
   * @param imageOffset the page's offset in the image
   * @param moreBytes how many bytes from there on will be queried, including this page
   */
  boolean containsPage(ByteBuffer view, int at, long imageOffset, int moreBytes) {
    if (changed.get((int) (imageOffset / PAGE)) || !payoff.isNextWorthSearching()) {
      return false;
    }
    if (imageOffset < loadedFrom || imageOffset >= triedTo) {
      load(imageOffset, Math.min(moreBytes, PIECE_BYTES));
    }
    if (imageOffset + PAGE > loadedTo) {
      return false;
    }
    int there = (int) (imageOffset - loadedFrom);
    ByteBuffer page = base.view().clear().position(there).limit(there + PAGE);
    boolean same = view.clear().position(at).limit(at + PAGE).mismatch(page) < 0;
    payoff.recordResult(same);
    return same;
  }

  private void load(long imageOffset, int lengthBytes) {
    loadedFrom = imageOffset;
    loadedTo = imageOffset;
    triedTo = imageOffset + lengthBytes;
    if (!readable) {
      return;
    }
    try {
      loadedTo += base.read(imageOffset, lengthBytes);
    } catch (LinuxException e) {
      // Readers that need the base report the error; here the base would only save some writes.
      readable = false;
      LOG.log(System.Logger.Level.DEBUG, "{0} cannot be compared: {1}", path, e.getMessage());
    }
  }

  @Override
  public void close() {
    base.close();
  }
}
