// SPDX-License-Identifier: Apache-2.0
package dev.ramet.config;

import dev.ramet.spi.settings.Setting;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads the file of settings: names, values and line numbers. Values are kept as written; YAML
 * itself would turn {@code ON} into true. Used by one thread.
 */
final class YamlFile {
  private static final String SECTION = "ramet";
  private static final int MAX_BYTES = 1 << 20;

  private final Path path;
  private final SettingCatalog catalog;
  private final Map<String, RawValue> given = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();

  private YamlFile(Path path, SettingCatalog catalog) {
    this.path = path;
    this.catalog = catalog;
  }

  /** Reads a file; errors in it are added to its problems. */
  static YamlFile read(Path path, SettingCatalog catalog) {
    YamlFile file = new YamlFile(path, catalog);
    try {
      if (Files.isDirectory(path)) {
        file.problem("", 0, "is a directory, not a file");
      } else if (Files.size(path) > MAX_BYTES) {
        file.problem("", 0, "is larger than " + MAX_BYTES + " bytes");
      } else {
        file.parse(Files.readString(path));
      }
    } catch (NoSuchFileException e) {
      file.problem("", 0, "does not exist");
    } catch (CharacterCodingException e) {
      file.problem("", 0, "is not UTF-8 text");
    } catch (AccessDeniedException e) {
      file.problem("", 0, "cannot be read: permission denied");
    } catch (IOException e) {
      file.problem("", 0, "cannot be read: " + e);
    }
    return file;
  }

  /** Returns the settings in the file, by name. */
  Map<String, RawValue> given() {
    return given;
  }

  /** Returns the errors in its syntax. */
  List<Problem> problems() {
    return problems;
  }

  private void parse(String text) {
    // The shipped file sets nothing, so loading the YAML parser can be avoided.
    if (text.lines().map(String::strip).allMatch(YamlFile::isBlank)) {
      return;
    }
    LoaderOptions options = new LoaderOptions();
    options.setMaxAliasesForCollections(0);
    options.setNestingDepthLimit(20);
    try {
      Node top = new Yaml(options).compose(new StringReader(text));
      if (top instanceof MappingNode mapping) {
        walk("", mapping, 0);
      } else if (top != null && !isNull(top)) {
        problem("", line(top), "is not a list of settings, like ramet: { port: 3000 }");
      }
    } catch (MarkedYAMLException e) {
      // The parser's message would quote the line, which may contain a secret.
      Mark mark = e.getProblemMark();
      problem("", mark == null ? 0 : mark.getLine() + 1, "is not YAML: " + e.getProblem());
    } catch (YAMLException e) {
      problem("", 0, "is not YAML, or uses references (& and *)");
    }
  }

  private static boolean isBlank(String line) {
    return line.isEmpty() || line.charAt(0) == '#' || line.equals(SECTION + ":");
  }

  private void walk(String prefix, MappingNode mapping, int depth) {
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode name) || name.getValue().isEmpty()) {
        problem(prefix, line(tuple.getKeyNode()), "contains a key that is not a name");
        continue;
      }
      String key = prefix.isEmpty() ? name.getValue() : prefix + "." + name.getValue();
      Node value = tuple.getValueNode();
      int line = line(name);
      if (value instanceof MappingNode inner) {
        // A mapping that contains itself by an alias is infinitely deep.
        if (depth < 20) {
          walk(key, inner, depth + 1);
        } else {
          problem(key, line, "is nested too deeply");
        }
      } else {
        String text = text(key, line, value);
        if (text != null) {
          put(new RawValue(key, text, ValueSource.line(path, line)));
        }
      }
    }
  }

  private void put(RawValue one) {
    RawValue before = given.putIfAbsent(one.key(), one);
    if (before != null) {
      problem(
          one.key(), one.origin().line(), "is set twice, first in line " + before.origin().line());
    }
  }

  private @Nullable String text(String key, int line, Node value) {
    if (isNull(value)) {
      // A section that contains only comments.
      if (key.equals(SECTION)) {
        return null;
      }
      problem(key, line, "has no value; leave it out to use the default");
      return null;
    }
    if (value instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    List<String> items = new ArrayList<>();
    for (Node item : ((SequenceNode) value).getValue()) {
      if (!(item instanceof ScalarNode scalar) || isNull(item) || scalar.getValue().isEmpty()) {
        problem(key, line(item), "has an entry in its list that is not a plain value");
        return null;
      }
      if (scalar.getValue().indexOf(',') >= 0) {
        problem(key, line(item), "has a comma in one of its values");
        return null;
      }
      items.add(scalar.getValue());
    }
    Setting<?> known = catalog.find(key);
    if (known != null && !known.type().list()) {
      problem(key, line, "must be one value, not a list");
      return null;
    }
    return String.join(",", items);
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static int line(Node node) {
    return node.getStartMark().getLine() + 1;
  }

  private void problem(String key, int line, String text) {
    problems.add(new Problem(key, ValueSource.line(path, line), text));
  }
}
