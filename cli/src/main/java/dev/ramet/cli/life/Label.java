// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.life;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.sandbox.SandboxLabels;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.cli.term.TerminalText;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows and changes a sandbox's labels. */
@Command(
    name = "label",
    description = "Sets, removes or shows the labels of a sandbox, which E2B calls metadata.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox label ID owner=ci stage=test",
      "  ramet sandbox label ID stage-                # removes it",
      "  ramet sandbox label ID                       # shows them"
    })
public final class Label extends ApiCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox, by id or name.")
  private String id = "";

  @Parameters(
      index = "1..*",
      paramLabel = "K=V|K-",
      description = "Labels to set, as K=V, and to remove, as K-. Other labels stay.")
  @RequestField({"metadata", "remove"})
  private List<String> changes = new ArrayList<>();

  Label(Context context) {
    super(context);
  }

  private String shown(String label) {
    return context().terminal().output() ? TerminalText.harmless(label) : label;
  }

  @Override
  protected int run(Client client) {
    Map<String, String> set = new LinkedHashMap<>();
    List<String> removed = new ArrayList<>();
    for (String change : changes) {
      int equals = change.indexOf('=');
      if (equals > 0) {
        set.put(change.substring(0, equals), change.substring(equals + 1));
      } else if (equals < 0 && change.length() > 1 && change.endsWith("-")) {
        removed.add(change.substring(0, change.length() - 1));
      } else {
        throw RametException.invalid(
            change, "is not a change of a label; write K=V to set one, K- to remove one");
      }
    }
    String path = "/sandboxes/" + Client.encode(id);
    ClientResponse answer =
        changes.isEmpty()
            ? client.get(path)
            : client.post(path + "/metadata", new SandboxLabels(set, removed));
    if (json()) {
      context().json(answer.body());
      return 0;
    }
    new TreeMap<>(answer.parse(SandboxInfo.class).metadata())
        .forEach((key, value) -> context().out().println(shown(key + "=" + value)));
    return 0;
  }
}
