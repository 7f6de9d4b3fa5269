// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.workspace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.agent.wire.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks and converts the JSON of an agent, which may be hostile. */
final class Decoder {
  private static final int MAX_PATH_BYTES = 4096;
  private static final int MAX_MODE = 07777;
  private static final long MAX_ID = 0xffffffffL;
  private static final int MAX_WORD = 20;
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
  private static final List<String> ACTIONS =
      List.of("created", "modified", "metadata", "deleted", "renamed", "lost");
  private static final List<String> PARTS =
      List.of("type", "content", "mode", "owner", "attributes");

  private Decoder() {}

  static Entry entry(JsonNode json) throws IOException {
    Entry.Kind kind = kind(Entry.Kind.values(), json.path("kind"));
    Entry.Status status =
        new Entry.Status(
            kind,
            (int) number(json, "mode", 0, MAX_MODE),
            number(json, "uid", 0, MAX_ID),
            number(json, "gid", 0, MAX_ID),
            number(json, "size", 0, Long.MAX_VALUE),
            number(json, "modified", Long.MIN_VALUE, Long.MAX_VALUE));
    GuestPath path = text(json, "path");
    if (path == null) {
      throw new IOException("an entry has no path");
    }
    checkPath(path);
    String content = digest(json, "content");
    String failure = json.path("failure").textValue();
    if (kind == Entry.Kind.FILE && content == null && failure == null) {
      throw new IOException("a file has no digest");
    }
    return new Entry(
        path,
        status,
        content,
        text(json, "target"),
        digest(json, "attributes"),
        failure,
        values(json.path("values")));
  }

  private static Map<String, byte[]> values(JsonNode json) throws IOException {
    Map<String, byte[]> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> one : json.properties()) {
      values.put(one.getKey(), base64(one.getValue()));
    }
    return values;
  }

  /** Refuses everything that is not a path below the workspace. */
  static void checkPath(GuestPath path) throws IOException {
    for (String name : path.toString().split("/", -1)) {
      if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf(0) >= 0) {
        throw new IOException("a path is not below the workspace");
      }
    }
  }

  static Change change(JsonNode json) throws IOException {
    Change.Kind kind = kind(Change.Kind.values(), json.path("change"));
    Entry before = json.has("old") ? entry(json.path("old")) : null;
    Entry after = json.has("new") ? entry(json.path("new")) : null;
    if (before == null != (kind == Change.Kind.CREATED)
        || after == null != (kind == Change.Kind.DELETED)) {
      throw new IOException("a change does not have the entries of its kind");
    }
    List<String> differs = new ArrayList<>();
    for (JsonNode part : json.path("differs")) {
      differs.add(word(PARTS, part));
    }
    return new Change(kind, differs, before, after);
  }

  static FileEvent event(JsonNode json) throws IOException {
    String action = word(ACTIONS, json.path("action"));
    GuestPath path = text(json, "path");
    if (path == null != action.equals("lost")) {
      throw new IOException("an event does not have the path of its kind");
    }
    return new FileEvent(
        number(json, "number", 0, Long.MAX_VALUE),
        number(json, "time", 0, Long.MAX_VALUE),
        action,
        path,
        text(json, "from"),
        number(json, "size", 0, Long.MAX_VALUE),
        json.path("directory").asBoolean());
  }

  /** Returns the line that asks an agent to make an entry. */
  static byte[] request(Entry entry) {
    ObjectNode json = Json.object();
    put(json, "path", entry.path());
    Entry.Status status = entry.status();
    json.put("kind", status.kind().name().toLowerCase(Locale.ROOT));
    json.put("mode", status.mode()).put("uid", status.user()).put("gid", status.group());
    json.put("size", status.sizeBytes()).put("modified", status.modifiedNanos());
    GuestPath target = entry.target();
    if (target != null) {
      put(json, "target", target);
    }
    if (!entry.values().isEmpty()) {
      entry.values().forEach(json.putObject("values")::put);
    }
    byte[] line = Json.bytes(json);
    byte[] ended = Arrays.copyOf(line, line.length + 1);
    ended[line.length] = '\n';
    return ended;
  }

  private static void put(ObjectNode json, String name, GuestPath path) {
    if (path.isText()) {
      json.put(name, path.toString());
    } else {
      json.put(name + "64", path.bytes());
    }
  }

  private static <E extends Enum<E>> E kind(E[] all, JsonNode json) throws IOException {
    for (E one : all) {
      if (one.name().toLowerCase(Locale.ROOT).equals(json.textValue())) {
        return one;
      }
    }
    throw new IOException("a kind is unknown");
  }

  private static String word(List<String> all, JsonNode json) throws IOException {
    String word = json.textValue();
    if (word == null || word.length() > MAX_WORD || !all.contains(word)) {
      throw new IOException("a word is unknown");
    }
    return word;
  }

  static @Nullable String digest(JsonNode json, String name) throws IOException {
    String text = json.path(name).textValue();
    if (json.has(name) && (text == null || !DIGEST.matcher(text).matches())) {
      throw new IOException(name + " is not a digest");
    }
    return text;
  }

  static long number(JsonNode json, String name, long least, long most) throws IOException {
    JsonNode value = json.path(name);
    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
      throw new IOException(name + " is not a number");
    }
    long number = value.longValue();
    if (number < least || number > most) {
      throw new IOException(name + " is out of range");
    }
    return number;
  }

  private static @Nullable GuestPath text(JsonNode json, String name) throws IOException {
    JsonNode encoded = json.path(name + "64");
    GuestPath path = null;
    if (!encoded.isMissingNode()) {
      path = GuestPath.of(base64(encoded));
    } else if (json.path(name).isTextual()) {
      path = GuestPath.of(json.path(name).textValue());
    }
    if (path != null && (path.bytes().length >= MAX_PATH_BYTES || path.bytes().length == 0)) {
      throw new IOException(name + " is empty or too long");
    }
    return path;
  }

  private static byte[] base64(JsonNode json) throws IOException {
    byte[] bytes = json.isTextual() ? json.binaryValue() : null;
    if (bytes == null) {
      throw new IOException("a value is not in base64");
    }
    return bytes;
  }
}
