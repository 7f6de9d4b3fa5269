// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot.layer;

import java.util.Arrays;
import java.util.List;

/**
 * The combined content of a stack of stores: for each stored chunk, the topmost store that has it.
 */
final class TableUnion {
  private long[] chunks = new long[1024];
  private long[] places = new long[1024];
  private int[] sources = new int[1024];
  private int size;

  private TableUnion() {}

  /** Returns the union of tables, the top first. */
  static TableUnion merge(List<CowStore.Table> tables) {
    TableUnion union = new TableUnion();
    int[] at = new int[tables.size()];
    while (true) {
      int first = -1;
      for (int i = 0; i < at.length; i++) {
        CowStore.Table table = tables.get(i);
        // For equal chunks, the higher store wins.
        if (at[i] < table.size()
            && (first < 0 || table.chunk(at[i]) < tables.get(first).chunk(at[first]))) {
          first = i;
        }
      }
      if (first < 0) {
        return union;
      }
      long chunk = tables.get(first).chunk(at[first]);
      union.add(chunk, tables.get(first).storeChunk(at[first]), first);
      for (int i = 0; i < at.length; i++) {
        if (at[i] < tables.get(i).size() && tables.get(i).chunk(at[i]) == chunk) {
          at[i]++;
        }
      }
    }
  }

  private void add(long chunk, long place, int source) {
    if (size == chunks.length) {
      chunks = Arrays.copyOf(chunks, 2 * size);
      places = Arrays.copyOf(places, 2 * size);
      sources = Arrays.copyOf(sources, 2 * size);
    }
    chunks[size] = chunk;
    places[size] = place;
    sources[size] = source;
    size++;
  }

  int size() {
    return size;
  }

  /** Returns the chunks in ascending order. */
  long[] chunks() {
    return Arrays.copyOf(chunks, size);
  }

  long chunk(int index) {
    return chunks[index];
  }

  /** Returns the chunk's place in its store. */
  long storeChunk(int index) {
    return places[index];
  }

  /** Returns the index of the store that has the chunk. */
  int source(int index) {
    return sources[index];
  }
}
