// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.completion;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The ids and names that a host has at this moment, for completion. */
public final class LiveNames {
  private static final String SNAPSHOTS = "snapshot";

  /** A list of the host and the fields of its objects that commands take. */
  private record Source(String path, List<String> fields) {}

  private static final Map<String, List<Source>> SOURCES =
      Map.of(
          "sandbox",
          List.of(new Source("/v2/sandboxes", List.of("sandboxID", "name"))),
          SNAPSHOTS,
          List.of(new Source("/snapshots", List.of("snapshotID", "names"))),
          "template",
          List.of(new Source("/templates", List.of("names", "templateID"))),
          "image",
          List.of(
              new Source("/templates", List.of("names", "templateID")),
              new Source("/snapshots", List.of("names", "snapshotID"))),
          "volume",
          List.of(new Source("/volumes", List.of("name", "volumeID"))),
          "operation",
          List.of(new Source("/operations", List.of("operationID"))),
          "secret",
          List.of(new Source("/secrets", List.of("name"))));

  private static final Map<String, String> KINDS_BY_LABEL =
      Map.of(
          "ID", "sandbox",
          "SNAPSHOT", SNAPSHOTS,
          "A", SNAPSHOTS,
          "B", SNAPSHOTS,
          "OLDER", SNAPSHOTS,
          "TEMPLATE", "template",
          "VOLUME", "volume",
          "OPERATION", "operation",
          "SECRET", "secret");

  /** The names that a shell takes as they are; it would expand others, which a host may send. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]*");

  private LiveNames() {}

  /** Returns the kind of object that an argument names, or null for an argument of another type. */
  static @Nullable String kind(ArgSpec argument) {
    if (argument instanceof OptionSpec option && option.longestName().equals("--template")) {
      return "image";
    }
    return KINDS_BY_LABEL.get(argument.paramLabel());
  }

  /**
   * Returns ids and names, sorted as the host lists them; none if it does not answer soon or with
   * an error, because a shell could show no error.
   *
   * @param kind a kind of object; an unknown one has no names
   * @param limit how long to wait for the host
   */
  public static Set<String> of(String kind, Duration limit, Supplier<Client> client) {
    CompletableFuture<Set<String>> found = new CompletableFuture<>();
    Thread asking =
        new Thread(
            () -> {
              try {
                found.complete(ask(kind, client.get()));
              } catch (RuntimeException e) {
                found.completeExceptionally(e);
              }
            },
            "completion");
    asking.setDaemon(true);
    asking.start();
    try {
      return found.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return Set.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Set.of();
    }
  }

  private static Set<String> ask(String kind, Client client) {
    Set<String> names = new LinkedHashSet<>();
    for (Source source : SOURCES.getOrDefault(kind, List.of())) {
      for (JsonNode one : Json.tree(client.getAllPages(source.path()))) {
        for (String field : source.fields()) {
          names.addAll(texts(one.path(field)));
        }
      }
    }
    return names;
  }

  private static List<String> texts(JsonNode node) {
    List<String> texts = new ArrayList<>();
    if (node.isTextual()) {
      texts.add(node.textValue());
    }
    node.forEach(one -> texts.add(one.asText()));
    texts.removeIf(text -> !PLAIN.matcher(text).matches());
    return texts;
  }
}
