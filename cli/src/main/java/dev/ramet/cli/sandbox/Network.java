// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.ViewCommand;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.request.NetworkOptions;
import dev.ramet.cli.term.Table;
import dev.ramet.errors.RametException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that shows or sets the egress rules of a sandbox. */
@Command(
    name = "network",
    description = "Shows or replaces the rules for the addresses that a sandbox can reach.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet sandbox network ID",
      "  ramet sandbox network ID --deny-out all --allow-out 192.0.2.7,2001:db8::/32",
      "  ramet sandbox network ID --deny-out all --allow-out example.org,*.example.org",
      "  ramet sandbox network ID --egress-proxy proxy.example.org:1080",
      "  ramet sandbox network ID --clear"
    })
final class Network extends ViewCommand {
  @Parameters(paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Mixin private final NetworkOptions options = new NetworkOptions();

  @Option(names = "--clear", description = "Remove all rules.")
  private boolean clear;

  Network(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    String path = "/sandboxes/" + Client.encode(id);
    NetworkSettings wanted = options.toSettings();
    if (clear && wanted != null) {
      throw RametException.invalid("--clear", "cannot be combined with other rules");
    }
    if (wanted != null) {
      client.put(path + "/network", wanted);
    } else if (clear) {
      client.put(path + "/network", NetworkSettings.outgoing(null, null));
    }
    SandboxInfo now = client.get(path).parse(SandboxInfo.class);
    NetworkSettings rules = now.network();
    NetworkSettings shown = rules == null ? NetworkSettings.outgoing(List.of(), List.of()) : rules;
    if (printed(Json.bytes(shown), now.sandboxID())) {
      return 0;
    }
    Table table = Table.keyValue(context().paint());
    boolean open = Boolean.TRUE.equals(now.allowInternetAccess());
    table.row("Opens connections", open ? "yes" : "no");
    if (rules != null) {
      table.row("Denied", joined(rules.denyOut()));
      table.row("Allowed although denied", joined(rules.allowOut()));
      NetworkSettings.EgressProxy proxy = rules.egressProxy();
      if (proxy != null) {
        String user = proxy.username() == null ? "" : ", as " + proxy.username();
        table.row("Through the proxy", proxy.address() + user);
      }
      headers(table, rules);
    }
    context().print(table);
    return 0;
  }

  /** Prints the names of the inserted headers, without their values. */
  private static void headers(Table table, NetworkSettings rules) {
    var byHost = rules.rules();
    if (byHost == null) {
      return;
    }
    byHost.forEach(
        (host, list) -> {
          Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
          for (NetworkRule rule : list == null ? List.<NetworkRule>of() : list) {
            NetworkRule.Transform transform = rule == null ? null : rule.transform();
            if (transform != null && transform.headers() != null) {
              names.addAll(transform.headers().keySet());
            }
          }
          table.row("Headers to " + host, names.isEmpty() ? "none" : String.join(", ", names));
        });
  }

  private static String joined(@Nullable List<@Nullable String> entries) {
    return entries == null || entries.isEmpty() ? "nothing" : String.join(", ", entries);
  }
}
