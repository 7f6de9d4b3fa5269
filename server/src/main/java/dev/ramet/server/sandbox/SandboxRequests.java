// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.Lifecycle;
import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.volume.VolumeMountInfo;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.engine.WantedShape;
import dev.ramet.engine.sandboxes.InboundRules;
import dev.ramet.engine.sandboxes.NewSandbox;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.volumes.VolumeMount;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.FieldValidation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts clients' requests for sandboxes to requests to the engine. Thread-safe. */
public final class SandboxRequests {
  /** The time limit of a request that names none. */
  static final int DEFAULT_TIMEOUT_SECONDS = Math.toIntExact(Sandboxes.DEFAULT_TIMEOUT.toSeconds());

  private static final List<String> INBOUND =
      List.of("allowPublicTraffic", "maskRequestHost", "httpsPorts");

  private SandboxRequests() {}

  /**
   * Returns the sandbox to create.
   *
   * @param source the template or snapshot to create it from
   * @param secure whether its agent requires a token when the request does not say so
   */
  public static NewSandbox sandbox(CreateSandbox request, String source, boolean secure) {
    Boolean internet = request.allow_internet_access();
    NetworkRules network = network(request.network(), internet);
    return new NewSandbox(
        source,
        FieldValidation.timeout("timeout", request.timeout(), DEFAULT_TIMEOUT_SECONDS),
        new Sandbox.Label(request.name(), FieldValidation.strings("metadata", request.metadata())),
        FieldValidation.environment("envVars", request.envVars()),
        new WantedShape(
            FieldValidation.cpuCount(request.cpuCount()),
            FieldValidation.memoryBytes(request.memoryMB()),
            FieldValidation.diskBytes(request.diskSizeMB())),
        allowsInternet(internet, network),
        request.memoryMode(),
        rules(request, secure)
            .with(network)
            .with(inbound(request.network()))
            .with(volumes(request.volumeMounts())));
  }

  private static List<VolumeMount> volumes(@Nullable List<@Nullable VolumeMountInfo> volumeMounts) {
    List<VolumeMount> mounts = new ArrayList<>();
    if (volumeMounts != null) {
      for (int i = 0; i < volumeMounts.size(); i++) {
        VolumeMountInfo mount = volumeMounts.get(i);
        String field = "volumeMounts[" + i + "]";
        if (mount == null) {
          throw RametException.invalid(field, "must be an object");
        }
        mounts.add(
            new VolumeMount(
                FieldValidation.required(field + ".name", mount.name()),
                FieldValidation.required(field + ".path", mount.path())));
      }
    }
    return VolumeMount.requireValid(mounts);
  }

  /** If there are exceptions, the sandbox may open connections, and the rules deny the rest. */
  private static @Nullable Boolean allowsInternet(@Nullable Boolean internet, NetworkRules rules) {
    boolean exceptions = internet != null && !internet && !rules.allowOut().isEmpty();
    return exceptions ? Boolean.TRUE : internet;
  }

  /** Converts network rules. Without internet access, everything but the exceptions is denied. */
  private static NetworkRules network(
      @Nullable NetworkSettings settings, @Nullable Boolean internet) {
    if (settings == null) {
      return NetworkRules.NONE;
    }
    NetworkRules rules =
        NetworkRules.parse(settings.allowOut(), settings.denyOut())
            .withProxy(proxy(settings.egressProxy()))
            .withRequestRules(requestRules(settings.rules()));
    return rules.allowOut().isEmpty() ? rules : denyUnlessInternet(internet, rules);
  }

  /** Converts rules for requests, by host. */
  static RequestRules requestRules(
      @Nullable Map<String, @Nullable List<@Nullable NetworkRule>> rules) {
    if (rules == null) {
      return RequestRules.NONE;
    }
    Map<String, List<Map<String, @Nullable String>>> headers = new LinkedHashMap<>();
    rules.forEach(
        (host, list) -> {
          if (list == null) {
            throw RametException.invalid("network.rules." + host, "must be a list");
          }
          headers.put(host, list.stream().map(SandboxRequests::headers).toList());
        });
    return RequestRules.parse(headers);
  }

  private static Map<String, @Nullable String> headers(@Nullable NetworkRule rule) {
    NetworkRule.Transform transform = rule == null ? null : rule.transform();
    Map<String, @Nullable String> headers = transform == null ? null : transform.headers();
    return headers == null ? Map.of() : headers;
  }

  /** Converts a requested egress proxy. */
  static @Nullable UpstreamProxy proxy(NetworkSettings.@Nullable EgressProxy asked) {
    return asked == null
        ? null
        : UpstreamProxy.parse(asked.address(), asked.username(), asked.password());
  }

  private static InboundRules inbound(@Nullable NetworkSettings settings) {
    return settings == null
        ? InboundRules.PLAIN
        : InboundRules.parse(
            settings.allowPublicTraffic(), settings.maskRequestHost(), settings.httpsPorts());
  }

  /**
   * Refuses new rules for an existing sandbox that contain fields fixed at its creation.
   *
   * @param network the rules
   */
  static void refuseInbound(JsonNode network) {
    for (String field : INBOUND) {
      if (network.hasNonNull(field)) {
        throw new RametException(
            ErrorCode.INVALID_ARGUMENT,
            field + ": cannot be changed",
            "set it in network when you create the sandbox",
            null);
      }
    }
  }

  /** Denies everything that is not allowed, unless there is internet access. */
  static NetworkRules denyUnlessInternet(@Nullable Boolean internet, NetworkRules rules) {
    return internet == null || internet ? rules : rules.denyingRest();
  }

  private static SandboxRules rules(CreateSandbox request, boolean secureByDefault) {
    Lifecycle lifecycle = request.lifecycle();
    CreateSandbox.AutoResume resume = request.autoResume();
    boolean pause = isTrue(request.autoPause()) || (lifecycle != null && pauses(lifecycle));
    boolean autoResume =
        (resume != null && isTrue(resume.enabled()))
            || (lifecycle != null && isTrue(lifecycle.autoResume()));
    boolean keepMemory = request.autoPauseMemory() == null || request.autoPauseMemory();
    if (autoResume && pause && !keepMemory) {
      throw RametException.invalid(
          "autoResume",
          "is not possible if the sandbox is paused without its memory; only connect resumes"
              + " such a sandbox");
    }
    Boolean secure = request.secure();
    return new SandboxRules(
        pause ? SandboxRules.AtEnd.PAUSE : SandboxRules.AtEnd.KILL,
        keepMemory,
        autoResume,
        secure == null ? secureByDefault : secure);
  }

  private static boolean pauses(Lifecycle lifecycle) {
    String onTimeout = lifecycle.onTimeout();
    if (onTimeout == null || onTimeout.equals("kill")) {
      return false;
    }
    if (onTimeout.equals("pause")) {
      return true;
    }
    throw RametException.invalid("lifecycle.onTimeout", "must be kill or pause");
  }

  private static boolean isTrue(@Nullable Boolean value) {
    return value != null && value;
  }

  /** Extends the lifetime, never shortens it; null means no limit. */
  static Sandbox extendTimeout(Sandboxes sandboxes, Sandbox sandbox, @Nullable Duration timeout) {
    Instant end = sandbox.endAt();
    Instant wanted = timeout == null ? null : Instant.now().plus(timeout);
    if (end == null || (wanted != null && !wanted.isAfter(end))) {
      return sandbox;
    }
    sandboxes.setEnd(sandbox.id(), wanted);
    return sandboxes.get(sandbox.id());
  }
}
