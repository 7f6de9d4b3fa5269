// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.sandbox.Lifecycle;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.volume.VolumeMountInfo;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import io.micronaut.runtime.server.EmbeddedServer;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts sandboxes to their wire form. Thread-safe. */
@Singleton
public final class SandboxView {
  /**
   * The version of the envd protocol that the guest agent speaks; clients of the E2B protocol gate
   * features on it.
   */
  static final String ENVD_VERSION = "0.6.13";

  private final @Nullable String domain;
  private final Provider<EmbeddedServer> server;

  SandboxView(Settings settings, Provider<EmbeddedServer> server) {
    this.domain = settings.find(HostSettings.DOMAIN).orElse(null);
    this.server = server;
  }

  /**
   * Returns the domain below which guests have their names. Names below {@code localhost} are this
   * machine everywhere (RFC 6761, 6.3).
   */
  private String domain() {
    return domain == null ? "localhost:" + server.get().getPort() : domain;
  }

  /** Returns a sandbox with everything that a client needs to use it. */
  public SandboxInfo of(Sandbox s) {
    return of(s, s.accessToken(), s.trafficToken(), NetworkView.of(s.rules(), true));
  }

  /** Returns a sandbox that was just made, with a warning or null. */
  public SandboxInfo made(Sandbox s, @Nullable String warning) {
    return builder(s, s.accessToken(), s.trafficToken(), NetworkView.of(s.rules(), true))
        .warnings(warning == null ? null : List.of(warning))
        .build();
  }

  /** Returns a sandbox without its access tokens. */
  public SandboxInfo listed(Sandbox s) {
    return of(s, null, null, NetworkView.of(s.rules(), false));
  }

  private SandboxInfo of(
      Sandbox s,
      @Nullable String accessToken,
      @Nullable String trafficToken,
      @Nullable NetworkSettings network) {
    return builder(s, accessToken, trafficToken, network).build();
  }

  private SandboxInfo.Builder builder(
      Sandbox s,
      @Nullable String accessToken,
      @Nullable String trafficToken,
      @Nullable NetworkSettings network) {
    return SandboxInfo.builder()
        .sandboxID(s.id())
        .templateID(s.templateId())
        .alias(s.templateName())
        .clientID("ramet")
        .envdVersion(ENVD_VERSION)
        .envdAccessToken(accessToken)
        .domain(domain())
        .startedAt(s.startedAt().toString())
        .endAt(s.endAt() == null ? null : s.endAt().toString())
        .state(state(s))
        .stateDetail(detail(s))
        .cpuCount(s.cpuCount())
        .memoryMB(s.memoryBytes() / Units.MIB)
        .diskSizeMB(s.diskBytes() / Units.MIB)
        .name(s.name())
        .metadata(s.metadata())
        .lifecycle(lifecycle(s.rules()))
        .parentID(s.parentId())
        .hypervisorPid(s.hypervisorPid())
        .allowInternetAccess(s.outbound())
        .memoryMode(s.memoryMode())
        .network(network)
        .trafficAccessToken(trafficToken)
        .volumeMounts(volumes(s.rules()))
        .agent(s.agent() == Sandbox.Agent.NONE ? null : s.agent().name().toLowerCase(Locale.ROOT))
        .standstill(standstill(s));
  }

  private static @Nullable String standstill(Sandbox s) {
    Standstill still = s.standstill();
    return still == null ? null : still.cause().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static @Nullable String detail(Sandbox s) {
    Standstill still = s.standstill();
    return still == null ? s.stateDetail() : still.detail() + "; " + still.remedy();
  }

  private static @Nullable List<VolumeMountInfo> volumes(SandboxRules rules) {
    return rules.volumes().isEmpty()
        ? null
        : rules.volumes().stream()
            .map(mount -> new VolumeMountInfo(mount.name(), mount.path()))
            .toList();
  }

  private static Lifecycle lifecycle(SandboxRules rules) {
    return new Lifecycle(rules.atEnd().name().toLowerCase(Locale.ROOT), rules.autoResume());
  }

  static String state(Sandbox s) {
    return s.state().name().toLowerCase(Locale.ROOT);
  }
}
