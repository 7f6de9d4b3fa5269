// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.errors.RametException;
import java.util.List;
import java.util.function.Consumer;

/** Applies an action to several objects; a failure of one does not stop the others. */
public final class ForEachId {
  private ForEachId() {}

  /**
   * Applies the action.
   *
   * @param done whether to print the id of each success on standard output
   * @return the first failure's exit status, or 0
   */
  public static int apply(
      Context context, List<String> ids, boolean done, Consumer<String> action) {
    int status = 0;
    for (String id : ids) {
      try {
        action.accept(id);
        if (done) {
          context.out().println(id);
        }
      } catch (RametException e) {
        int failed = Errors.print(context, e);
        status = status == 0 ? failed : status;
      }
    }
    return status;
  }
}
