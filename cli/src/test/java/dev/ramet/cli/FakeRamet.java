// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import dev.ramet.cli.http.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The part of a host that the tour uses: sandboxes with three values each, which can be captured.
 */
final class FakeRamet {
  static final int PID = 77;

  /** Ways in which the host can misbehave. */
  enum Flaw {
    NONE,
    ROLLBACK_LOSES_THE_VARIABLE,
    CLONES_SHARE_THE_DISK,
    CLONE_FAILS,
    SOURCE_RESTARTS,
    DELETE_FAILS_ONCE
  }

  private static final class Box {
    String[] values = {"", "", ""};
    String more = "";
    long process = ProcessHandle.current().pid();
  }

  final Map<String, Box> boxes = new TreeMap<>();
  final Map<String, String[]> snapshots = new LinkedHashMap<>();
  private final Flaw flaw;
  private boolean failed;

  FakeRamet(FakeHost host, Flaw flaw) {
    this.flaw = flaw;
    host.on("/doctor", (e, body) -> FakeHost.answer(e, 200, Answers.doctor("GOOD", used())));
    host.on("/v2/sandboxes", (e, body) -> FakeHost.answer(e, 200, list()));
    host.on("/sandboxes", this::sandboxes);
    host.on("/snapshots", this::snapshots);
    host.on("/process.Process/Start", this::start);
  }

  private Box box(String id) {
    return Objects.requireNonNull(boxes.get(id));
  }

  private synchronized long used() {
    return 1000L + 10L * boxes.size();
  }

  private synchronized String list() {
    List<String> all = new ArrayList<>();
    boxes.forEach((id, box) -> all.add(view(id, box)));
    return all.toString();
  }

  private static String view(String id, Box box) {
    return Answers.sandbox(id, ",\"hypervisorPid\":" + box.process + box.more);
  }

  private synchronized void sandboxes(HttpExchange exchange, byte[] body) throws IOException {
    String[] path = exchange.getRequestURI().getPath().split("/", -1);
    String id = path.length > 2 ? path[2] : "";
    String verb = path.length > 3 ? path[3] : exchange.getRequestMethod();
    switch (verb) {
      case "POST" -> {
        boxes.put("source", new Box());
        FakeHost.answer(exchange, 201, view("source", box("source")));
      }
      case "GET" -> FakeHost.answer(exchange, 200, view(id, box(id)));
      case "DELETE" -> {
        if (flaw == Flaw.DELETE_FAILS_ONCE && !failed) {
          failed = true;
          FakeHost.answer(exchange, 409, Answers.error(409, "CONFLICT", "busy", ""));
        } else {
          boxes.remove(id);
          FakeHost.answer(exchange, 204, "");
        }
      }
      case "snapshots" -> {
        snapshots.put("snap", box(id).values.clone());
        FakeHost.answer(exchange, 201, Answers.snapshot("snap", id));
      }
      case "rollback" -> {
        box(id).values = Objects.requireNonNull(snapshots.get("snap")).clone();
        if (flaw == Flaw.ROLLBACK_LOSES_THE_VARIABLE) {
          box(id).values[2] = "";
        }
        FakeHost.answer(
            exchange,
            200,
            "{\"sandboxID\":\"%s\",\"snapshotID\":\"snap\",\"totalMs\":1.5}".formatted(id));
      }
      default -> clone(exchange, id, Json.tree(body).path("count").asInt());
    }
  }

  private void clone(HttpExchange exchange, String id, int count) throws IOException {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Box box = new Box();
      box.values = box(id).values.clone();
      box.more = ",\"parentID\":\"" + id + "\"";
      boxes.put("clone" + i, box);
      made.add(view("clone" + i, box));
    }
    if (flaw == Flaw.SOURCE_RESTARTS) {
      box(id).process = 1;
    }
    if (flaw == Flaw.CLONE_FAILS) {
      FakeHost.answer(exchange, 507, Answers.error(507, "NO_SPACE", "full", "delete some"));
    } else {
      FakeHost.answer(
          exchange,
          201,
          "{\"sandboxes\":%s,\"capture\":%s,\"totalMs\":9}".formatted(made, Answers.CAPTURE));
    }
  }

  private synchronized void snapshots(HttpExchange exchange, byte[] body) throws IOException {
    if (exchange.getRequestMethod().equals("DELETE")) {
      snapshots.remove("snap");
      FakeHost.answer(exchange, 204, "");
    } else {
      FakeHost.answer(
          exchange,
          200,
          snapshots.isEmpty() ? "[]" : "[" + Answers.snapshot("snap", "source") + "]");
    }
  }

  private synchronized void start(HttpExchange exchange, byte[] body) throws IOException {
    String json = new String(body, 5, body.length - 5, StandardCharsets.UTF_8);
    JsonNode arguments =
        Json.tree(json.getBytes(StandardCharsets.UTF_8)).path("process").path("args");
    String id = exchange.getRequestHeaders().getFirst("E2b-Sandbox-Id");
    String output = act(id, arguments.get(1).textValue(), arguments);
    String event =
        "{\"event\":{\"data\":{\"stdout\":\"%s\"}}}"
            .formatted(Base64.getEncoder().encodeToString(output.getBytes(StandardCharsets.UTF_8)));
    exchange.sendResponseHeaders(200, 0);
    String begin = "{\"event\":{\"start\":{\"pid\":1}}}";
    for (String message : List.of(begin, event, "{\"event\":{\"end\":{\"exitCode\":0}}}", "{}")) {
      byte[] payload = message.getBytes(StandardCharsets.UTF_8);
      exchange
          .getResponseBody()
          .write(
              ByteBuffer.allocate(5 + payload.length)
                  .put((byte) (message.equals("{}") ? 2 : 0))
                  .putInt(payload.length)
                  .put(payload)
                  .array());
    }
  }

  private String act(String id, String script, JsonNode arguments) {
    String[] values = box(id).values;
    if (script.contains("mkfifo")) {
      set(id, arguments, 3);
      return PID + "\n";
    }
    if (script.contains("drop_caches")) {
      return String.join("\n", values) + "\n";
    }
    if (script.contains("kill -9")) {
      box(id).values = new String[] {"", "", ""};
      return "";
    }
    set(id, arguments, 4);
    return "";
  }

  private void set(String id, JsonNode arguments, int first) {
    for (int i = 0; i < 3; i++) {
      box(id).values[i] = arguments.get(first + i).textValue();
    }
    if (flaw == Flaw.CLONES_SHARE_THE_DISK) {
      boxes.values().forEach(box -> box.values[0] = arguments.get(first).textValue());
    }
  }
}
