// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import dev.ramet.cli.term.TerminalText;
import dev.ramet.cli.term.TextStyle;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints errors with their remedies on standard error, and chooses the exit status. */
public final class Errors implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private final Context context;

  public Errors(Context context) {
    this.context = context;
  }

  /**
   * Prints an error.
   *
   * @return its exit status
   */
  public static int print(Context context, RametException e) {
    TextStyle paint = context.terminal().onError();
    PrintStream err = context.err();
    String message =
        RequestFields.inOptions(context.command(), e.field(), String.valueOf(e.getMessage()));
    err.println(paint.failure("error:") + " " + harmless(message));
    if (e.remedy() != null) {
      err.println("  " + harmless(e.remedy()));
    }
    return e.code().exitStatus();
  }

  /** An error may quote a guest or another host. */
  private static String harmless(String text) {
    return text.lines().map(TerminalText::harmless).collect(Collectors.joining("\n"));
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    if (context.environment("RAMET_DEBUG") != null) {
      e.printStackTrace(context.err());
    }
    return failed(command, translate(e));
  }

  private int failed(CommandLine command, RametException e) {
    return command.getCommand() instanceof OwnFailures own ? own.failed(e) : print(context, e);
  }

  private static RametException translate(Exception e) {
    if (e instanceof RametException known) {
      return known;
    }
    Throwable cause = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
    if (cause instanceof NoSuchFileException) {
      return new RametException(ErrorCode.NOT_FOUND, "no such file: " + cause.getMessage());
    }
    if (cause instanceof AccessDeniedException) {
      return new RametException(
          ErrorCode.INVALID_ARGUMENT, "no permission for: " + cause.getMessage());
    }
    if (cause instanceof IOException) {
      return new RametException(ErrorCode.INTERNAL, "" + cause.getMessage());
    }
    return new RametException(
        ErrorCode.INTERNAL, "a defect in ramet: " + e, "set RAMET_DEBUG=1 to see where", e);
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    String name = e.getCommandLine().getCommandSpec().qualifiedName(" ");
    String remedy = "see: " + name + " --help";
    if (e instanceof UnmatchedArgumentException unmatched) {
      @Nullable String suggestion =
          unmatched.getSuggestions().isEmpty() ? null : unmatched.getSuggestions().get(0);
      if (suggestion != null) {
        remedy = "did you mean: " + name + " " + suggestion;
      } else if (unmatched.isUnknownOption() && name.endsWith(" exec")) {
        remedy = "put -- before the command to run in the sandbox";
      }
    }
    return failed(
        e.getCommandLine(),
        new RametException(ErrorCode.INVALID_ARGUMENT, UsageErrors.text(e), remedy, e));
  }
}
