// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.doctor;

import dev.ramet.engine.Metric;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes metrics in the text format 0.0.4 of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Thread-safe.
 */
final class PrometheusText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final double MAX_EXACT = 1L << 53;

  private PrometheusText() {}

  static String format(List<Metric> metrics) {
    StringBuilder text = new StringBuilder();
    for (Metric metric : metrics) {
      text.append("# HELP ").append(metric.name()).append(' ').append(escaped(metric.help()));
      text.append("\n# TYPE ").append(metric.name()).append(' ');
      text.append(metric.type().name().toLowerCase(Locale.ROOT)).append('\n');
      for (Metric.Sample sample : metric.samples()) {
        text.append(metric.name()).append(sample.suffix());
        labels(sample.labels(), text);
        text.append(' ').append(number(sample.value())).append('\n');
      }
    }
    return text.toString();
  }

  private static void labels(Map<String, String> labels, StringBuilder text) {
    char before = '{';
    for (Map.Entry<String, String> label : labels.entrySet()) {
      text.append(before).append(label.getKey()).append("=\"");
      text.append(escaped(label.getValue()).replace("\"", "\\\"")).append('"');
      before = ',';
    }
    if (before == ',') {
      text.append('}');
    }
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < MAX_EXACT
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
