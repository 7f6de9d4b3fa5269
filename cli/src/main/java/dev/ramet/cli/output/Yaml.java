// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.Iterator;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Reads and writes YAML, which includes JSON. A class of its own, because it is seldom needed. */
public final class Yaml {
  private Yaml() {}

  /** Returns a JSON value as YAML, with a line end. */
  public static String write(JsonNode node) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setIndicatorIndent(2);
    options.setIndentWithIndicator(true);
    return new org.yaml.snakeyaml.Yaml(options)
        .dump(Json.mapper().convertValue(node, Object.class));
  }

  /**
   * Parses one document. Types of programming languages, double keys and expanding references are
   * refused.
   *
   * @param name the name of the file, for errors
   * @throws RametException INVALID_ARGUMENT when it is not one YAML document
   */
  public static JsonNode read(String name, String text) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setMaxAliasesForCollections(10);
    try {
      Iterator<Object> documents =
          new org.yaml.snakeyaml.Yaml(new SafeConstructor(options)).loadAll(text).iterator();
      Object value = documents.hasNext() ? documents.next() : null;
      if (documents.hasNext()) {
        throw invalid(name, "more than one document");
      }
      return Json.mapper().valueToTree(value);
    } catch (MarkedYAMLException e) {
      String place =
          e.getProblemMark() == null
              ? ""
              : "line "
                  + (e.getProblemMark().getLine() + 1)
                  + ", column "
                  + (e.getProblemMark().getColumn() + 1)
                  + ": ";
      throw invalid(name, place + "not YAML or JSON: " + e.getProblem());
    } catch (YAMLException | IllegalArgumentException e) {
      throw invalid(name, "not YAML or JSON: " + e.getMessage());
    }
  }

  private static RametException invalid(String name, String problem) {
    return new RametException(ErrorCode.INVALID_ARGUMENT, name + ": " + problem);
  }
}
