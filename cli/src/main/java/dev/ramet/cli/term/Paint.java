// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.term;

/** Emphasis, in colours where they are wanted. */
public enum Paint {
  /** Text alone. */
  PLAIN,
  /** With the terminal's colours (ECMA-48 SGR). */
  COLOURS;

  /** Something that is well. */
  public String good(String text) {
    return wrap("32", text);
  }

  /** Something that could be better. */
  public String warn(String text) {
    return wrap("33", text);
  }

  /** Something that is wrong. */
  public String bad(String text) {
    return wrap("31", text);
  }

  /** A heading. */
  public String bold(String text) {
    return wrap("1", text);
  }

  /** Less important than what stands beside it. */
  public String dim(String text) {
    return wrap("2", text);
  }

  private String wrap(String code, String text) {
    return this == PLAIN ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
  }
}
