// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.forward;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.command.Connection;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.Errors;
import dev.ramet.cli.http.Client;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that forwards ports of this machine to a sandbox. */
@Command(
    name = "port-forward",
    description = {
      "Forwards ports of this machine to ports of a sandbox, until Ctrl-C. Any TCP protocol works.",
      "After a rollback new connections reach the restored machine."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet port-forward ID 8080          # the same port in the sandbox",
      "  ramet port-forward ID 8080:80 5432",
      "  ramet port-forward ID :80 --browse  # any free port here"
    })
public final class PortForward implements Callable<Integer>, Connection.User {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "[LOCAL:]REMOTE",
      description = "The port here and the port in the sandbox. May be repeated.")
  private List<String> ports = new ArrayList<>();

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The address to listen on here (default: ${DEFAULT-VALUE}).")
  private String address = "127.0.0.1";

  @Option(names = "--browse", description = "Open the first port in a browser.")
  private boolean browse;

  private final Context context;

  PortForward(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    List<PortPair> pairs = ports.stream().map(PortPair::parse).toList();
    InetAddress here;
    try {
      here = InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw RametException.invalid("--address", "not an address: " + address);
    }
    Client client = context.client();
    SandboxInfo sandbox = client.get("/sandboxes/" + Client.encode(id)).parse(SandboxInfo.class);
    Forwarder.Target target =
        new Forwarder.Target(client, sandbox.sandboxID(), sandbox.trafficAccessToken());
    List<Forwarder> forwarders = new ArrayList<>();
    try {
      for (PortPair pair : pairs) {
        forwarders.add(Forwarder.listen(target, here, pair, this::report));
      }
      forwarders.forEach(Forwarder::start);
      for (Forwarder each : forwarders) {
        context.out().printf("Forwarding from %s -> %d%n", each.address(), each.remotePort());
      }
      context.out().flush();
      if (browse) {
        open("http://localhost:" + forwarders.get(0).localPort() + "/");
      }
      new CountDownLatch(1).await(); // until a signal ends this process
      return 0;
    } finally {
      forwarders.forEach(Forwarder::close);
    }
  }

  private synchronized void report(RametException e) {
    Errors.print(context, e);
  }

  private void open(String url) {
    @Nullable String browser = context.environment("BROWSER");
    try {
      new ProcessBuilder(Objects.requireNonNullElse(browser, "xdg-open"), url)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      context.err().println("no browser could be started (xdg-open, or BROWSER); open: " + url);
    }
  }
}
