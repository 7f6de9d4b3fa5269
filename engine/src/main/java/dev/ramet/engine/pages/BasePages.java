// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.file.CacheReader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * The image that a capture overlays, to find pages that were written and hold again, or still, what
 * they held: those need no room of their own. Nothing waits for a device, which would cost more
 * than writing: what the page cache has is looked at, which is most of it, for a machine's first
 * write to a page reads it. Where hardly a page is found that way, few are looked at. Used by one
 * thread at a time.
 */
final class BasePages implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BasePages.class.getName());
  private static final int PAGE = NativeBuffer.PAGE_BYTES;
  private static final int PIECE_BYTES = 1 << 20;

  private final CacheReader base;
  private final Path path;

  /** Pages of the image that no longer hold what the base does. */
  private final BitSet changed = new BitSet();

  private final Payoff payoff = new Payoff();

  /** What is in the reader's view, and up to where nothing more was in the cache. */
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

  /** Notes that a part of the image was written or made a hole. */
  void changed(long imageOffset, long lengthBytes) {
    changed.set((int) (imageOffset / PAGE), (int) ((imageOffset + lengthBytes) / PAGE));
  }

  /**
   * Whether the image has this page already, as far as can be told at once.
   *
   * @param view where the page is; its position and limit are moved
   * @param at where in the view
   * @param imageOffset its place in the image
   * @param moreBytes how much will be asked about from there on, the page included
   */
  boolean has(ByteBuffer view, int at, long imageOffset, int moreBytes) {
    if (changed.get((int) (imageOffset / PAGE)) || !payoff.isNextWorthALook()) {
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
    payoff.looked(same);
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
      // Whoever needs the base's bytes will hear of it; here they would only have saved some.
      readable = false;
      LOG.log(System.Logger.Level.DEBUG, "{0} cannot be compared: {1}", path, e.getMessage());
    }
  }

  @Override
  public void close() {
    base.close();
  }
}
