// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.target;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.AtomicFile;
import dev.ramet.files.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The user's file of saved contexts, {@code ramet/contexts.json} in {@code XDG_CONFIG_HOME} or
 * {@code ~/.config}. Only its owner can read it. Changes replace it atomically; a lock file next to
 * it excludes other writers. It holds no keys, only where they are. Thread-safe.
 */
public final class ContextFile {
  private static final int VERSION = 1;
  private static final String CURRENT = "current";

  private final @Nullable Path file;

  /** The content: the contexts by name, and the one in use. */
  static final class Content {
    final Map<String, SavedContext> contexts = new TreeMap<>();
    @Nullable String current;
  }

  private ContextFile(@Nullable Path file) {
    this.file = file;
  }

  /** Returns the file of the user with this environment; without a home there is none. */
  public static ContextFile of(Map<String, String> environment) {
    String base = environment.getOrDefault("XDG_CONFIG_HOME", "");
    String home = environment.getOrDefault("HOME", "");
    // A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification).
    if (base.startsWith("/")) {
      return new ContextFile(Path.of(base, "ramet", "contexts.json"));
    }
    return new ContextFile(
        home.isEmpty() ? null : Path.of(home, ".config", "ramet", "contexts.json"));
  }

  /** Returns the contexts, sorted by name. */
  public Map<String, SavedContext> all() {
    return read().contexts;
  }

  /** Returns the context in use, or null when commands ask the host on this machine. */
  public @Nullable SavedContext current() {
    Content content = read();
    return content.current == null ? null : content.contexts.get(content.current);
  }

  /**
   * Returns a context.
   *
   * @throws RametException {@code NOT_FOUND} when there is none of that name
   */
  public SavedContext get(String name) {
    return require(read(), name);
  }

  /**
   * Saves a context.
   *
   * @param replace whether it may replace one of the same name
   * @param use whether commands ask it from now on
   */
  public void add(SavedContext context, boolean replace, boolean use) {
    change(
        content -> {
          if (!replace && content.contexts.containsKey(context.name())) {
            throw new RametException(
                ErrorCode.ALREADY_EXISTS,
                "there is already a context named " + context.name(),
                "replace it with --replace, or choose another name",
                null);
          }
          content.contexts.put(context.name(), context);
          content.current = use ? context.name() : content.current;
        });
  }

  /** Has commands ask a context's host from now on, or with null the host on this machine. */
  public void use(@Nullable String name) {
    if (name == null && (file == null || !Files.exists(file))) {
      return;
    }
    change(content -> content.current = name == null ? null : require(content, name).name());
  }

  /** Deletes a context; if it was in use, commands ask the host on this machine. */
  public void remove(String name) {
    change(
        content -> {
          require(content, name);
          content.contexts.remove(name);
          content.current = name.equals(content.current) ? null : content.current;
        });
  }

  private static SavedContext require(Content content, String name) {
    SavedContext found = content.contexts.get(name);
    if (found == null) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "context not found: " + name,
          content.contexts.isEmpty()
              ? "add it with: ramet context add " + name + " ADDRESS"
              : "there are: " + String.join(", ", content.contexts.keySet()),
          null);
    }
    return found;
  }

  private void change(Consumer<Content> action) {
    Path target = file;
    if (target == null) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "there is no place for contexts: neither XDG_CONFIG_HOME nor HOME is set",
          "set HOME",
          null);
    }
    try {
      Path directory = target.resolveSibling("");
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      try (ProcessLock lock = new ProcessLock(target.resolveSibling("contexts.lock"))) {
        Content content = read();
        action.accept(content);
        AtomicFile.write(target, bytes(content), AtomicFile.OWNER_ONLY);
      }
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.INVALID_ARGUMENT,
          "cannot write " + target + ": " + reason(e),
          "set XDG_CONFIG_HOME to a directory that you can write to",
          e);
    }
  }

  private Content read() {
    Content content = new Content();
    if (file == null || !Files.exists(file)) {
      return content;
    }
    try {
      requireOwner(file);
      JsonNode tree = new ObjectMapper().readTree(Files.readAllBytes(file));
      int version = tree.path("version").asInt(0);
      if (version != VERSION) {
        throw damaged("has format version " + version + ", and this ramet reads " + VERSION, null);
      }
      for (Map.Entry<String, JsonNode> one : tree.path("contexts").properties()) {
        content.contexts.put(one.getKey(), parse(one.getKey(), one.getValue()));
      }
      content.current = tree.path(CURRENT).textValue();
      return content;
    } catch (IOException e) {
      throw damaged("cannot be read: " + reason(e), e);
    }
  }

  /** Another user's file could name a command, which would run as the present user. */
  private void requireOwner(Path present) throws IOException {
    Path self = Path.of("/proc/self"); // it belongs to the process's effective user
    if (!Files.exists(self)) {
      return;
    }
    Object owner = Files.getAttribute(present, "unix:uid");
    if (!owner.equals(0) && !owner.equals(Files.getAttribute(self, "unix:uid"))) {
      throw damaged("belongs to neither you nor root, but to user " + owner, null);
    }
  }

  private static String reason(IOException e) {
    return e instanceof com.fasterxml.jackson.core.JsonProcessingException
        ? "it is not JSON"
        : e instanceof java.nio.file.AccessDeniedException ? "permission denied" : e.toString();
  }

  private static SavedContext parse(String name, JsonNode one) {
    return new SavedContext(
        name,
        one.path("server").asText(""),
        one.path("ca").textValue(),
        one.path("keyFile").textValue(),
        one.path("keyCommand").textValue());
  }

  private static byte[] bytes(Content content) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode tree = mapper.createObjectNode().put("version", VERSION);
    if (content.current != null) {
      tree.put(CURRENT, content.current);
    }
    ObjectNode all = tree.putObject("contexts");
    content.contexts.forEach(
        (name, context) -> {
          ObjectNode one = all.putObject(name).put("server", context.server());
          put(one, "ca", context.authority());
          put(one, "keyFile", context.keyFile());
          put(one, "keyCommand", context.keyCommand());
        });
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree);
  }

  private static void put(ObjectNode node, String key, @Nullable String value) {
    if (value != null) {
      node.put(key, value);
    }
  }

  private RametException damaged(String why, @Nullable Exception cause) {
    return new RametException(
        ErrorCode.INVALID_ARGUMENT,
        "the contexts: " + file + " " + why,
        "correct or remove the file; RAMET_SERVER and --server work without it",
        cause);
  }
}
