// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Combines names and values of labels. */
final class Labels {
  private Labels() {}

  static Map<String, String> zip(List<String> names, List<String> values) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      labels.put(names.get(i), values.get(i));
    }
    return labels;
  }

  static Map<String, String> withLabel(Map<String, String> labels, String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(labels);
    more.put(name, value);
    return more;
  }
}
