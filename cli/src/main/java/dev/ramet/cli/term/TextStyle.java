// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

/** Emphasizes text, in colours if they are enabled. */
public enum TextStyle {
  /** Plain text. */
  PLAIN,
  /** The terminal's colours (ECMA-48 SGR). */
  COLOURS;

  /** Marks a good state. */
  public String success(String text) {
    return wrap("32", text);
  }

  /** Marks a state that could be better. */
  public String warn(String text) {
    return wrap("33", text);
  }

  /** Marks an error. */
  public String failure(String text) {
    return wrap("31", text);
  }

  /** Marks a heading. */
  public String bold(String text) {
    return wrap("1", text);
  }

  /** Marks text as less important than the text around it. */
  public String dim(String text) {
    return wrap("2", text);
  }

  private String wrap(String code, String text) {
    return this == PLAIN ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
  }
}
