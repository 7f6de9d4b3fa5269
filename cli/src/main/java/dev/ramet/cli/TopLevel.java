// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import dev.ramet.cli.config.Config;
import dev.ramet.cli.context.ContextGroup;
import dev.ramet.cli.forward.PortForward;
import dev.ramet.cli.key.Key;
import dev.ramet.cli.observe.Top;
import dev.ramet.cli.operation.Operation;
import dev.ramet.cli.prune.Prune;
import dev.ramet.cli.sandbox.Sandbox;
import dev.ramet.cli.secret.Secret;
import dev.ramet.cli.snapshot.Snapshot;
import dev.ramet.cli.storage.Storage;
import dev.ramet.cli.template.Template;
import dev.ramet.cli.tour.TourCommand;
import dev.ramet.cli.volume.Volume;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands directly below {@code ramet}. Reading the annotations of all of them takes half of a
 * command's time, so only the one named by the first word is loaded where possible.
 */
final class TopLevel {
  /** Lines that end with the help of {@code ramet} itself, or with its version. */
  private static final Set<String> LIST_ONLY = Set.of("-h", "--help", "-V", "--version");

  private TopLevel() {}

  /** A command or a group of commands, and its names. */
  record Entry(Class<?> type, List<String> names) {
    private static Entry of(Class<?> type, String... names) {
      return new Entry(type, List.of(names));
    }

    /** Returns the command as the list in the help of {@code ramet} shows it; it cannot run. */
    CommandLine listed() {
      Command command = type.getAnnotation(Command.class);
      CommandSpec spec = CommandSpec.create().name(command.name()).aliases(command.aliases());
      spec.usageMessage().description(command.description()).hidden(command.hidden());
      return new CommandLine(spec);
    }
  }

  /** All commands, in the order of the help. */
  static final List<Entry> ALL =
      List.of(
          Entry.of(Sandbox.class, "sandbox", "sb"),
          Entry.of(Snapshot.class, "snapshot", "snap"),
          Entry.of(Template.class, "template", "tpl"),
          Entry.of(Volume.class, "volume", "vol"),
          Entry.of(Storage.class, "storage"),
          Entry.of(Prune.class, "prune"),
          Entry.of(Secret.class, "secret"),
          Entry.of(Operation.class, "operation", "op"),
          Entry.of(Key.class, "key"),
          Entry.of(Config.class, "config"),
          Entry.of(ContextGroup.class, "context", "ctx"),
          Entry.of(PortForward.class, "port-forward"),
          Entry.of(Top.class, "top"),
          Entry.of(Doctor.class, "doctor"),
          Entry.of(TourCommand.class, "tour"),
          Entry.of(VersionCommand.class, "version"),
          Entry.of(Serve.class, "serve"),
          Entry.of(HelpCommand.class, "help"),
          Entry.of(Completion.class, "completion"));

  /** Returns whether a line shows no more of the commands than their list. */
  static boolean needsListOnly(String... args) {
    return args.length == 1 && LIST_ONLY.contains(args[0]);
  }

  /** Returns the commands that a line may use: the one named by its first word, or else all. */
  static List<Entry> of(String... args) {
    if (args.length > 0) {
      for (Entry entry : ALL) {
        if (entry.names().contains(args[0])) {
          return List.of(entry);
        }
      }
    }
    return ALL;
  }
}
