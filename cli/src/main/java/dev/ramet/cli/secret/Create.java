// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.secret;

import dev.ramet.api.secret.NewSecret;
import dev.ramet.api.secret.SecretInfo;
import dev.ramet.api.secret.SecretUpdate;
import dev.ramet.cli.command.ApiCommand;
import dev.ramet.cli.command.Context;
import dev.ramet.cli.command.RequestField;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.ClientResponse;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that creates a secret. */
@Command(
    name = "create",
    description = {
      "Creates a secret from standard input or a file, and prints its name.",
      "Arguments are not accepted, because other users of this machine could see them."
          + " One line break at the end is removed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ramet secret create openai < openai.key",
      "  ramet secret create openai --from openai.key --metadata owner=ci",
      "  pass show openai | ramet secret create openai --replace"
    })
final class Create extends ApiCommand {
  private static final int MAX_BYTES = 64 << 10;

  @Parameters(paramLabel = "NAME", description = "Its name, which no other secret has.")
  @RequestField("name")
  private String name = "";

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description = "A file with the value, instead of standard input.")
  @RequestField("value")
  private @Nullable Path file;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "Metadata to keep with it. May be repeated.")
  @RequestField("metadata")
  private Map<String, String> metadata = new LinkedHashMap<>();

  @Option(
      names = "--replace",
      description = "Replace the value of an existing secret; its metadata stays unless given.")
  private boolean replace;

  Create(Context context) {
    super(context);
  }

  @Override
  protected int run(Client client) {
    Map<String, @Nullable String> pairs =
        metadata.isEmpty() ? null : new LinkedHashMap<String, @Nullable String>(metadata);
    ClientResponse answer =
        replace
            ? client.post("/secrets/" + Client.encode(name), new SecretUpdate(value(), pairs))
            : client.post("/secrets", new NewSecret(name, value(), pairs));
    return printId(answer, SecretInfo.class, SecretInfo::name);
  }

  private String value() {
    Path from = file;
    try (InputStream in = from == null ? context().in() : Files.newInputStream(from)) {
      byte[] bytes = in.readNBytes(MAX_BYTES);
      return new String(bytes, StandardCharsets.UTF_8).replaceFirst("\r?\n\\z", "");
    } catch (IOException e) {
      throw RametException.invalid(
          from == null ? "standard input" : "--from", "cannot be read: " + e.getMessage());
    }
  }
}
