// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.rule;

/** A text refers to a secret that is not there. */
public final class MissingSecretException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String name;

  MissingSecretException(String name) {
    super("there is no secret " + name);
    this.name = name;
  }

  /** Which one, as the text has it. */
  public String name() {
    return name;
  }
}
