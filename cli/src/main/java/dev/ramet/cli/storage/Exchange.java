// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.storage;

import dev.ramet.api.storage.StorageExchange;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.http.Streams;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Progress;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Base class of the export and import commands, which show their progress. */
abstract class Exchange extends ApiCommand {
  private static final int WIDTH = 24;

  Exchange(Context context) {
    super(context);
  }

  /** Prints the result as text. */
  abstract void print(StorageExchange.Result result);

  /**
   * Sends the request and waits for its result.
   *
   * @param label description of the action
   */
  final int exchange(Client client, String path, Object request, String label) {
    StorageExchange.Result[] result = new StorageExchange.Result[1];
    try (Progress progress = context().progress(label)) {
      Streams.post(
          client,
          path,
          request,
          line -> {
            StorageExchange one =
                Json.read(line.getBytes(StandardCharsets.UTF_8), StorageExchange.class);
            Streams.check(one.error());
            if (one.progress() != null) {
              progress.label(label + " " + progressBar(one.progress()));
            }
            if (one.result() != null) {
              result[0] = one.result();
            }
          });
    }
    StorageExchange.@Nullable Result done = result[0];
    if (done == null) {
      throw new RametException(
          ErrorCode.UNAVAILABLE, "the host stopped responding before the operation was done");
    }
    if (json()) {
      context().json(Json.bytes(done));
    } else {
      print(done);
    }
    return 0;
  }

  private static String progressBar(StorageExchange.Progress p) {
    double part = p.totalBytes() == 0 ? 1 : (double) p.doneBytes() / p.totalBytes();
    int full = (int) (part * WIDTH);
    return "["
        + "#".repeat(full)
        + ".".repeat(WIDTH - full)
        + "] "
        + (int) (part * 100)
        + "% of "
        + HumanFormat.size(p.totalBytes());
  }

  /** Returns the base snapshot of a result in words, followed by a colon. */
  static String basePrefix(StorageExchange.Result result) {
    return (result.base() == null ? "" : " since " + result.base()) + ": ";
  }

  /** Returns the size of a result in words. */
  static String size(StorageExchange.Result result) {
    return result.files()
        + " files, "
        + HumanFormat.size(result.sizeBytes())
        + ", "
        + HumanFormat.size(result.dataBytes())
        + " without holes";
  }

  /** The host does not know the working directory of this program. */
  static String absolute(Path path) {
    return path.toAbsolutePath().normalize().toString();
  }
}
