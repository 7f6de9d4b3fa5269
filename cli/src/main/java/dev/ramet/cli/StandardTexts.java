// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import java.util.ListResourceBundle;

/** The descriptions of the options that the parser adds to every command. */
final class StandardTexts extends ListResourceBundle {
  @Override
  protected Object[][] getContents() {
    return new Object[][] {
      {"mixinStandardHelpOptions.help", "Show this help."},
      {"mixinStandardHelpOptions.version", "Show the version of this program and of Java."}
    };
  }
}
