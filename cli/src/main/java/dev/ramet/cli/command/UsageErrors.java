// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.MutuallyExclusiveArgsException;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Says in the words of Ramet what is wrong with a command line; the parser's are for programmers.
 */
final class UsageErrors {
  private UsageErrors() {}

  /** Returns what is wrong, with the option that was typed. */
  static String text(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched);
    }
    if (e instanceof MissingParameterException missing) {
      return missing(missing);
    }
    ArgSpec argument = e.getArgSpec();
    if (argument == null) {
      return "the command line is not understood";
    }
    if (e instanceof OverwrittenOptionException) {
      return name(argument) + ": given more than once";
    }
    if (e instanceof MaxValuesExceededException) {
      return name(argument) + ": too many values";
    }
    if (e instanceof MutuallyExclusiveArgsException) {
      return name(argument) + ": cannot be combined with the others";
    }
    String value = e.getValue();
    return name(argument) + ": " + problem(argument, e.getCause(), value == null ? "" : value);
  }

  private static String unmatched(UnmatchedArgumentException e) {
    String first = e.getUnmatched().isEmpty() ? "" : e.getUnmatched().get(0);
    if (e.isUnknownOption()) {
      return "no such option: " + first;
    }
    String command = e.getCommandLine().getCommandSpec().qualifiedName(" ");
    return e.getCommandLine().getSubcommands().isEmpty()
        ? command + " takes no further argument: " + first
        : "no such command: " + command + " " + first;
  }

  private static String missing(MissingParameterException e) {
    List<ArgSpec> missing = e.getMissing();
    if (missing.isEmpty()) {
      ArgSpec argument = e.getArgSpec();
      return argument == null ? "an argument is missing" : needsValue(argument);
    }
    ArgSpec first = missing.get(0);
    if (first.isOption() && !first.required()) {
      return needsValue(first);
    }
    String names = missing.stream().map(UsageErrors::name).collect(Collectors.joining(", "));
    return names + (missing.size() == 1 ? " is missing" : " are missing");
  }

  private static String needsValue(ArgSpec argument) {
    return argument.isOption()
        ? name(argument) + ": a value is missing: " + argument.paramLabel()
        : name(argument) + " is missing";
  }

  private static String problem(ArgSpec argument, @Nullable Throwable cause, String value) {
    Class<?> type =
        argument.auxiliaryTypes().length == 0
            ? argument.type()
            : argument.auxiliaryTypes()[argument.auxiliaryTypes().length - 1];
    if (argument.converters().length > 0 && cause instanceof TypeConversionException own) {
      return "" + own.getMessage();
    }
    String shown = value.isEmpty() ? "" : ": " + value;
    if (argument.typeInfo().isMap()) {
      return "not " + argument.paramLabel() + shown;
    }
    if (type.isEnum()) {
      return "not one of "
          + Arrays.stream(type.getEnumConstants())
              .map(one -> one.toString().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "))
          + shown;
    }
    if (argument.typeInfo().isBoolean()) {
      return "takes true or false" + shown;
    }
    return (isWhole(type) ? "not a whole number" : "not valid") + shown;
  }

  private static boolean isWhole(Class<?> type) {
    return type == int.class || type == Integer.class || type == long.class || type == Long.class;
  }

  /** Returns the long name of an option, or the label of a parameter. */
  static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }
}
