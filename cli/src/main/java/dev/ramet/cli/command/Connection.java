// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of every command that calls a host. They may also stand before the command's name,
 * where picocli would give each part of the line an option of its own; so they are added to each
 * part, and all of them set the same values. Used by one thread.
 */
public final class Connection {
  private @Nullable String server;
  private @Nullable String context;
  private @Nullable Path authority;
  private boolean verbose;
  private boolean quiet;

  /** Marks commands that call a host: their help has these options. */
  public interface User {}

  /**
   * Adds the options to a command. An option that the command has itself is left out.
   *
   * @param hidden whether help and completion omit them
   */
  public void addTo(CommandSpec spec, boolean hidden) {
    for (OptionSpec.Builder option : options()) {
      OptionSpec made = option.hidden(hidden).build();
      if (spec.findOption(made.longestName()) == null) {
        spec.addOption(made);
      }
    }
  }

  private List<OptionSpec.Builder> options() {
    return List.of(
        OptionSpec.builder("--server")
            .paramLabel("URL")
            .type(String.class)
            .description("The host to ask, such as http://127.0.0.1:3000.")
            .setter(setter(value -> server = (String) value)),
        OptionSpec.builder("--context")
            .paramLabel("NAME")
            .type(String.class)
            .description("The saved host to ask; local is the one on this machine.")
            .setter(setter(value -> context = (String) value)),
        OptionSpec.builder("--ca")
            .paramLabel("FILE")
            .type(Path.class)
            .description("A PEM file of the only authorities to trust for TLS.")
            .setter(setter(value -> authority = (Path) value)),
        OptionSpec.builder("-v", "--verbose")
            .type(boolean.class)
            .description("Say which host is asked, and each request and its time.")
            .setter(setter(value -> verbose |= (Boolean) value)),
        OptionSpec.builder("--quiet")
            .type(boolean.class)
            .description("Print results and errors only: no progress, no notices.")
            .setter(setter(value -> quiet |= (Boolean) value)));
  }

  /** Picocli sets each option to null first; that must not undo what stands before the name. */
  private static ISetter setter(java.util.function.Consumer<Object> action) {
    return new ISetter() {
      @Override
      @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
      public <T> @Nullable T set(@Nullable T value) {
        if (value != null) {
          action.accept(value);
        }
        return null;
      }
    };
  }

  /** Returns the address that the user gave, or null. */
  @Nullable String server() {
    return server;
  }

  /** Returns the name of the saved context that the user gave, or null. */
  @Nullable String context() {
    return context;
  }

  /** Returns the file of authorities that the user gave, or null. */
  public @Nullable Path authority() {
    return authority;
  }

  /** Returns whether to report requests. */
  boolean verbose() {
    return verbose;
  }

  /** Returns whether to print results and errors only. */
  boolean quiet() {
    return quiet;
  }
}
