// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

import dev.ramet.agent.Command;
import dev.ramet.agent.Content;
import dev.ramet.agent.Guest;
import dev.ramet.agent.ProcessEvents;
import dev.ramet.agent.ProcessEvents.Event;
import dev.ramet.agent.wire.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands and writes files, through its agent, in a guest in which a template is being built,
 * and sets properties that hold for all machines of the template. Used by one thread.
 */
public final class GuestCommands {
  private static final Duration KEEPALIVE = Duration.ofSeconds(1);

  private final Guest guest;
  private final Runnable waiting;

  /**
   * Creates a client for a guest.
   *
   * @param address the address of its agent
   * @param access the credentials that the agent requires
   * @param waiting called about once a second during long operations; an exception from it ends the
   *     operation
   */
  public GuestCommands(InetSocketAddress address, AgentAccess access, Runnable waiting) {
    this.guest = new Guest(new DirectRoute(address, access, waiting), null);
    this.waiting = waiting;
  }

  /** Receives the output of a command. */
  public interface Output {
    /** Receives a line without its terminator. */
    void line(boolean error, String text);
  }

  /**
   * Runs a command line in a login shell until it ends.
   *
   * @param user the user that runs it, or null for the guest's default
   * @param directory the working directory, or null for the guest's default
   * @param environment variables that override the guest's own
   * @return null when it succeeded, or a description of how it ended
   * @throws RametException {@code INVALID_ARGUMENT} when it cannot be run, {@code
   *     DEADLINE_EXCEEDED} when it did not end in time, {@code GUEST_UNREACHABLE} when the
   *     connection to the guest was lost
   */
  public @Nullable String run(
      String line,
      @Nullable String user,
      @Nullable String directory,
      Map<String, String> environment,
      Duration limit,
      Output output) {
    Command command =
        new Command(
            "/bin/bash", List.of("-l", "-c", line), environment, directory, user, false, limit);
    LineSplitter out = new LineSplitter(text -> output.line(false, text));
    LineSplitter err = new LineSplitter(text -> output.line(true, text));
    String failure = null;
    try (ProcessEvents events = guest.events(command, KEEPALIVE)) {
      for (Event event = events.next(); event != null; event = events.next()) {
        waiting.run();
        out.add(event.out());
        err.add(event.err());
        if (event.isEnd() && !event.succeeded()) {
          failure =
              event.endReason().isEmpty() ? "it failed" : AgentText.sanitize(event.endReason());
        }
      }
    }
    out.finish();
    err.finish();
    return failure;
  }

  /**
   * Creates a directory and its parents, unless it exists.
   *
   * @param user the owner of created directories, or null for the guest's default
   * @return its absolute path
   */
  public String directory(String path, @Nullable String user) {
    try {
      call("MakeDir", path, user);
    } catch (RametException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
    return stat(path, user);
  }

  /**
   * Returns the absolute path of an existing file or directory.
   *
   * @param user the user whose home a relative path starts from, or null for the guest's default
   */
  public String stat(String path, @Nullable String user) {
    byte[] answer = call("Stat", path, user);
    try {
      return Json.tree(answer).path("entry").path("path").asText(path);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE, "the guest's agent answered in an unknown format", e);
    }
  }

  private byte[] call(String method, String path, @Nullable String user) {
    return guest
        .as(user)
        .call("/filesystem.Filesystem/" + method, Json.bytes(Map.of("path", path)));
  }

  /**
   * Unpacks an archive in the guest.
   *
   * @param user the user that unpacks it, or null for the guest's default
   * @param how parameters for the agent; null values are omitted
   */
  public void unpack(Path archive, @Nullable String user, Map<String, @Nullable String> how) {
    StringBuilder path = new StringBuilder("/unpack?");
    how.forEach(
        (name, value) -> {
          if (value != null) {
            path.append(name).append('=').append(Guest.encode(value)).append('&');
          }
        });
    try (InputStream in = Files.newInputStream(archive)) {
      Content content = Content.of(in, Files.size(archive));
      guest.as(user).send(path.toString(), "application/x-tar", content);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.NOT_FOUND, "the files to copy no longer exist", "start the build again", e);
    }
  }

  /**
   * Sets the properties that hold for all machines of the template, and starts its command.
   *
   * @param content the fields that the agent knows
   */
  public void applyTemplate(Map<String, @Nullable Object> content) {
    guest.call("/template", Json.bytes(content));
  }
}
