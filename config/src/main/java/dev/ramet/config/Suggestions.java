// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggests the correct name for a misspelled one. */
final class Suggestions {
  private Suggestions() {}

  /**
   * Returns the name nearest to a misspelled one, or null when none is near.
   *
   * @param prefix a common prefix of the names, which is ignored in the comparison
   */
  static @Nullable String closest(String written, Collection<String> names, String prefix) {
    String plain = normalize(written, prefix);
    String best = null;
    int least = Math.min(2, plain.length() / 3) + 1;
    for (String name : names) {
      int distance = distance(plain, normalize(name, prefix));
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return best;
  }

  /** Returns a name without common sources of confusion: capitals, dots, dashes and underscores. */
  private static String normalize(String name, String prefix) {
    String all = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
    return all.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
  }

  /**
   * Returns the edit distance: the number of letters to insert, delete, replace or swap with the
   * next.
   */
  static int distance(String a, String b) {
    int[][] table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          table[i][j] = i + j;
          continue;
        }
        int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(table[i - 1][j], table[i][j - 1]) + 1;
        least = Math.min(least, table[i - 1][j - 1] + same);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, table[i - 2][j - 2] + 1);
        }
        table[i][j] = least;
      }
    }
    return table[a.length()][b.length()];
  }
}
