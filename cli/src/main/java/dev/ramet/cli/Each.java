// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.errors.RametException;
import java.util.List;
import java.util.function.Consumer;

/** Does the same to several things; what goes wrong with one does not keep it from the others. */
public final class Each {
  private Each() {}

  /**
   * Does it.
   *
   * @param done says so on standard output
   * @return the first failure's exit status, or 0
   */
  public static int of(Context context, List<String> ids, boolean done, Consumer<String> action) {
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
