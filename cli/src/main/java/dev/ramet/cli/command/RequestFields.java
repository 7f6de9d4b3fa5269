// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import java.lang.reflect.AnnotatedElement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The options and parameters of a command by the fields of its request. */
public final class RequestFields {
  private RequestFields() {}

  /** Returns the options and parameters of a command that fill a field, by the field. */
  public static Map<String, ArgSpec> of(CommandSpec command) {
    Map<String, ArgSpec> all = new LinkedHashMap<>();
    for (ArgSpec argument : command.args()) {
      fields(argument).forEach(field -> all.put(field, argument));
    }
    return all;
  }

  private static List<String> fields(ArgSpec argument) {
    RequestField declared =
        argument.userObject() instanceof AnnotatedElement element
            ? element.getAnnotation(RequestField.class)
            : null;
    return declared == null ? List.of() : List.of(declared.value());
  }

  /**
   * Shows an option in place of the field that a message of the host begins with; of a part of a
   * field, such as {@code envVars.LANG}, the rest stays.
   *
   * @param command the command that runs, or null
   * @param field the field that the error is about, or null
   */
  static String inOptions(@Nullable CommandSpec command, @Nullable String field, String message) {
    if (command == null || field == null || !message.startsWith(field + ": ")) {
      return message;
    }
    Map<String, ArgSpec> all = of(command);
    for (String part = field; !part.isEmpty(); part = parent(part)) {
      ArgSpec found = all.get(part);
      if (found != null) {
        String rest = field.substring(part.length());
        String shown = rest.startsWith(".") ? " " + rest.substring(1) : "";
        return UsageErrors.name(found) + shown + message.substring(field.length());
      }
    }
    return message;
  }

  /** Returns the field that contains a part of it; empty for a field of the request itself. */
  private static String parent(String field) {
    int end = Math.max(field.lastIndexOf('.'), field.lastIndexOf('['));
    return end < 0 ? "" : field.substring(0, end);
  }
}
