// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/**
 * The question before a command destroys more than one thing. A person at a terminal is asked; a
 * program says {@code --yes}. Used by one thread.
 */
public final class Confirmation {
  /** The exit status of a command that was not allowed. */
  public static final int DECLINED = ErrorCode.CANCELLED.exitStatus();

  private static final int LONGEST_ANSWER = 100;

  @Option(
      names = {"-y", "--yes"},
      description = "Do it without asking.")
  private boolean yes;

  /** Returns whether {@code --yes} was given. */
  public boolean isGiven() {
    return yes;
  }

  /**
   * Asks whether to go on.
   *
   * @param action what is going to happen, such as "kill 3 sandboxes"
   * @return whether to do it
   * @throws RametException INVALID_ARGUMENT when nobody can be asked and {@code --yes} is missing
   */
  public boolean allows(Context context, String action) {
    if (yes) {
      return true;
    }
    if (!context.terminal().canAsk()) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT, "not confirmed: " + action, "confirm it with --yes", null);
    }
    return ask(context, action);
  }

  /**
   * Does as {@link #allowsOrWarns} if a command has several arguments or, for versions with one
   * name, if an argument stands for several objects.
   *
   * @param verb what happens to the objects, such as "delete"
   * @param nouns what they are, such as "snapshots"
   * @param count how many objects the arguments stand for
   * @return whether to do it
   */
  public boolean allowsSeveral(Context context, String verb, int count, String nouns) {
    return count < 2 || allowsOrWarns(context, verb + " " + count + " " + nouns);
  }

  /**
   * Asks a person whether to go on. A program goes on too, with a warning, because earlier versions
   * did not ask; the next version treats it as {@link #allows} does.
   *
   * @return whether to do it
   */
  public boolean allowsOrWarns(Context context, String action) {
    if (yes || context.terminal().canAsk()) {
      return yes || ask(context, action);
    }
    context
        .err()
        .println(
            "warning: the next version of Ramet will not "
                + action
                + " without --yes; add it to your script");
    return true;
  }

  private static boolean ask(Context context, String action) {
    context.err().print(capitalized(action) + "? [y/N] ");
    context.err().flush();
    String answer = line(context).strip().toLowerCase(Locale.ROOT);
    if (answer.equals("y") || answer.equals("yes")) {
      return true;
    }
    context.err().println("Nothing was changed.");
    return false;
  }

  private static String capitalized(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  /** Reads a line byte by byte, so that nothing of the next one is lost. */
  private static String line(Context context) {
    StringBuilder line = new StringBuilder();
    try {
      int next;
      while ((next = context.in().read()) >= 0 && next != '\n') {
        if (line.length() < LONGEST_ANSWER) {
          line.append(new String(new byte[] {(byte) next}, StandardCharsets.ISO_8859_1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line.toString();
  }
}
