// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.template;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.http.BuildRequests;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.cli.term.Progress;

/** Base class of commands that create a template and show the progress. */
abstract class TemplateMaker extends ApiCommand {
  TemplateMaker(Context context) {
    super(context);
  }

  /** Requests the template, shows each step on standard error, prints the id. */
  final int make(Client client, String path, Object request) {
    TemplateInfo made;
    try (Progress progress = context().progress("Waiting for the host")) {
      made =
          BuildRequests.run(
              client,
              path,
              request,
              step -> {
                progress.line(context().terminal().onError().dim("- " + step));
                progress.label(step);
              });
    }
    if (json()) {
      context().json(Json.bytes(made));
      return 0;
    }
    context().out().println(made.templateID());
    String name = name(made);
    context()
        .err()
        .println(
            made.buildMs() > 0
                ? "Made " + name + " in " + HumanFormat.millis(made.buildMs()) + "."
                : name + " exists already.");
    return 0;
  }

  private static String name(TemplateInfo made) {
    String name = made.names().get(0);
    boolean plain = made.tags().isEmpty() || made.tags().contains("default");
    return plain ? name : name + ":" + made.tags().get(0);
  }
}
