// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.errors.RametException;

/** A command whose own failures have other exit statuses than those of their error codes. */
public interface OwnFailures {
  /** Prints an error and returns its exit status. */
  int failed(RametException error);
}
