// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.guest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.JsonFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands and writes files, through its agent, in a guest in which a template is being built,
 * and sets properties that hold for all machines of the template. Used by one thread.
 */
public final class Workplace {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int INSUFFICIENT_STORAGE = 507;
  private static final int MOST_TOLD = 4000;
  private static final Duration QUICK = Duration.ofSeconds(60);

  /**
   * The agent reports at least that a command still runs; after this long without a message, the
   * guest has stopped.
   */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final String address;
  private final AgentAccess access;
  private final Runnable waiting;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  /**
   * Creates a client for a guest.
   *
   * @param address the address of its agent
   * @param access the credentials that the agent requires
   * @param waiting called about once a second during long operations; an exception from it ends the
   *     operation
   */
  public Workplace(InetSocketAddress address, AgentAccess access, Runnable waiting) {
    this.address = "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    this.access = access;
    this.waiting = waiting;
  }

  /**
   * A command.
   *
   * @param line the command line for a login shell
   * @param user the user that runs it, or null for the guest's default
   * @param directory the working directory, or null for the guest's default
   * @param environment variables that override the guest's own
   */
  public record Command(
      String line,
      @Nullable String user,
      @Nullable String directory,
      Map<String, String> environment) {}

  /** Receives the output of a command. */
  public interface Output {
    /** Receives a line without its terminator. */
    void line(boolean error, String text);
  }

  /**
   * Runs a command until it ends.
   *
   * @return null when it succeeded, or a description of how it ended
   * @throws RametException {@code INVALID_ARGUMENT} when it cannot be run, {@code
   *     DEADLINE_EXCEEDED} when it did not end in time, {@code GUEST_UNREACHABLE} when the
   *     connection to the guest was lost
   */
  public @Nullable String run(Command command, Duration limit, Output output) {
    Map<String, Object> process = new LinkedHashMap<>();
    process.put("cmd", "/bin/bash");
    process.put("args", List.of("-l", "-c", command.line()));
    process.put("envs", command.environment());
    String directory = command.directory();
    if (directory != null) {
      process.put("cwd", directory);
    }
    byte[] request = Messages.single(JsonFile.bytes(Map.of("process", process, "stdin", false)));
    HttpRequest.Builder http =
        request("/process.Process/Start", command.user())
            .header("Content-Type", "application/connect+json")
            .header("Connect-Protocol-Version", "1")
            .header("Keepalive-Ping-Interval", "1")
            .header("Connect-Timeout-Ms", Long.toString(limit.toMillis()))
            .POST(BodyPublishers.ofByteArray(request));
    InputStream body = ask(http, BodyHandlers.ofInputStream(), QUICK).body();
    try (Silence silence = new Silence(body, SILENCE)) {
      return follow(new Messages(body), silence, output);
    } catch (IOException e) {
      throw gone(e);
    }
  }

  private @Nullable String follow(Messages messages, Silence silence, Output output)
      throws IOException {
    Lines out = new Lines(line -> output.line(false, line));
    Lines err = new Lines(line -> output.line(true, line));
    JsonNode end = null;
    for (Messages.Message m = messages.next(); m != null; m = messages.next()) {
      silence.broken();
      waiting.run();
      if (m.last()) {
        if (m.content().has("error")) {
          throw refusal(m.content().path("error"));
        }
        break;
      }
      JsonNode event = m.content().path("event");
      out.add(bytes(event.path("data").path("stdout")));
      err.add(bytes(event.path("data").path("stderr")));
      end = event.has("end") ? event.path("end") : end;
    }
    out.finish();
    err.finish();
    if (end == null) {
      throw gone(null);
    }
    boolean succeeded = end.path("exitCode").asInt(0) == 0 && end.path("exited").asBoolean(true);
    return succeeded ? null : told(end.path("status").asText("it failed"));
  }

  private static byte[] bytes(JsonNode base64) {
    String text = base64.asText("");
    return text.isEmpty() ? new byte[0] : Base64.getDecoder().decode(text);
  }

  private static RametException refusal(JsonNode error) {
    ErrorCode code =
        switch (error.path("code").asText()) {
          case "deadline_exceeded" -> ErrorCode.DEADLINE_EXCEEDED;
          case "resource_exhausted" -> ErrorCode.NO_SPACE;
          default -> ErrorCode.INVALID_ARGUMENT;
        };
    return new RametException(code, told(error.path("message").asText()));
  }

  /**
   * Creates a directory and its parents, unless it exists.
   *
   * @param user the owner of created directories, or null for the guest's default
   * @return its absolute path
   */
  public String directory(String path, @Nullable String user) {
    byte[] request = JsonFile.bytes(Map.of("path", path));
    HttpResponse<String> made = call("/filesystem.Filesystem/MakeDir", user, request);
    if (made.statusCode() != CONFLICT) { // A conflict means that it exists already.
      checked("MakeDir", made);
    }
    return stat(path, user);
  }

  /**
   * Returns the absolute path of an existing file or directory.
   *
   * @param user the user whose home a relative path starts from, or null for the guest's default
   */
  public String stat(String path, @Nullable String user) {
    byte[] request = JsonFile.bytes(Map.of("path", path));
    String answer = checked("Stat", call("/filesystem.Filesystem/Stat", user, request));
    try {
      return JsonFile.tree(answer).path("entry").path("path").asText(path);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.GUEST_UNREACHABLE, "the guest's agent answered in no known way", e);
    }
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
            path.append(name).append('=');
            path.append(URLEncoder.encode(value, StandardCharsets.UTF_8)).append('&');
          }
        });
    BodyPublisher body;
    try {
      body = BodyPublishers.ofFile(archive);
    } catch (IOException e) {
      throw new RametException(
          ErrorCode.NOT_FOUND, "the files to copy are gone", "begin the build anew", e);
    }
    HttpRequest.Builder request =
        request(path.toString(), user).header("Content-Type", "application/x-tar").POST(body);
    checked("/unpack", ask(request, Bounded.text(), null));
  }

  /**
   * Sets the properties that hold for all machines of the template, and starts its command.
   *
   * @param content the fields that the agent knows; null values are omitted
   */
  public void shape(Map<String, @Nullable Object> content) {
    checked("/template", call("/template", null, JsonFile.bytes(content)));
  }

  private HttpResponse<String> call(String path, @Nullable String user, byte[] json) {
    HttpRequest.Builder request =
        request(path, user)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(json));
    return ask(request, Bounded.text(), QUICK);
  }

  private HttpRequest.Builder request(String path, @Nullable String user) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
    if (user != null) {
      byte[] credentials = (user + ":").getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
    }
    access.headers().forEach(request::header);
    return request;
  }

  private <T> HttpResponse<T> ask(
      HttpRequest.Builder request, BodyHandler<T> handler, @Nullable Duration limit) {
    CompletableFuture<HttpResponse<T>> answer = http.sendAsync(request.build(), handler);
    long begin = System.nanoTime();
    try {
      while (true) {
        try {
          return answer.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
          waiting.run();
          if (limit != null && System.nanoTime() - begin > limit.toNanos()) {
            throw gone(e);
          }
        }
      }
    } catch (ExecutionException e) {
      throw gone(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RametException(ErrorCode.CANCELLED, "interrupted while waiting for the guest", e);
    } finally {
      answer.cancel(true);
    }
  }

  private static String checked(String what, HttpResponse<String> answer) {
    int status = answer.statusCode();
    if (status / 100 == 2) {
      return answer.body();
    }
    String message;
    try {
      message = told(JsonFile.tree(answer.body()).path("message").asText());
    } catch (IOException e) {
      message = "status " + status;
    }
    if (status == NOT_FOUND && message.startsWith("no such endpoint")) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the agent of the source template does not know " + what,
          "build the source template anew",
          null);
    }
    ErrorCode code =
        status == INSUFFICIENT_STORAGE
            ? ErrorCode.NO_SPACE
            : status / 100 == 4 ? ErrorCode.INVALID_ARGUMENT : ErrorCode.GUEST_UNREACHABLE;
    throw new RametException(code, message);
  }

  /** Makes text from an untrusted guest safe to show. */
  private static String told(String text) {
    return text.substring(0, Math.min(text.length(), MOST_TOLD))
        .replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
  }

  private static RametException gone(@Nullable Throwable cause) {
    return new RametException(
        ErrorCode.GUEST_UNREACHABLE, "the machine went away before the step ended", cause);
  }
}
