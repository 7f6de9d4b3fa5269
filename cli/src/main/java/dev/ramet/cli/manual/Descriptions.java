// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.manual;

import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;

/** The descriptions of arguments as help shows them. */
public final class Descriptions {
  private Descriptions() {}

  /** Returns the whole description of an option or a parameter, in one line. */
  public static String of(ArgSpec argument) {
    String text = plain(String.join(" ", argument.description()));
    Iterable<String> candidates = argument.completionCandidates();
    if (candidates != null) {
      text =
          text.replace(
              "${COMPLETION-CANDIDATES}",
              StreamSupport.stream(candidates.spliterator(), false)
                  .collect(Collectors.joining(", ")));
    }
    String value = argument.defaultValue();
    return text.replace("${DEFAULT-VALUE}", value == null ? "none" : value).replace("$${", "${");
  }

  /** Returns a text without the parser's marks for line ends and percent signs. */
  public static String plain(String text) {
    return text.replace("%n", " ").replace("%%", "%");
  }
}
