// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.host.DoctorInfo;
import dev.ramet.api.sandbox.Lifecycle;
import dev.ramet.api.sandbox.NetworkRule;
import dev.ramet.api.sandbox.NetworkSettings;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.sandbox.SandboxMetric;
import dev.ramet.api.secret.SecretInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.SnapshotDiff;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.api.template.TemplateInfo;
import dev.ramet.api.volume.VolumeMountInfo;
import dev.ramet.egress.rule.NetworkRules;
import dev.ramet.egress.rule.RequestRules;
import dev.ramet.egress.rule.Secret;
import dev.ramet.egress.rule.UpstreamProxy;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.sandboxes.InboundRules;
import dev.ramet.engine.sandboxes.Metrics;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.SandboxRules;
import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.ImageDifference;
import dev.ramet.engine.snapshots.Snapshot;
import dev.ramet.engine.snapshots.SnapshotDifference;
import dev.ramet.engine.templates.Template;
import dev.ramet.server.settings.HostSettings;
import dev.ramet.spi.settings.Settings;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the engine's records to their wire form. Thread-safe. */
@Singleton
public final class Views {
  /**
   * The version of the envd protocol that the guest agent speaks; clients of the E2B protocol gate
   * features on it.
   */
  static final String ENVD_VERSION = "0.6.13";

  private static final long MIB = 1024 * 1024;
  private static final int PAGE_BYTES = 4096;

  private final @Nullable String domain;

  Views(Settings settings) {
    this.domain = settings.find(HostSettings.DOMAIN).orElse(null);
  }

  /** Returns a sandbox with everything that a client needs to use it. */
  public SandboxInfo of(Sandbox s) {
    return of(s, s.accessToken(), s.trafficToken(), network(s.rules(), true));
  }

  /** Returns a sandbox without its access tokens. */
  public SandboxInfo listed(Sandbox s) {
    return of(s, null, null, network(s.rules(), false));
  }

  private SandboxInfo of(
      Sandbox s,
      @Nullable String accessToken,
      @Nullable String trafficToken,
      @Nullable NetworkSettings network) {
    return new SandboxInfo(
        s.id(),
        s.templateId(),
        s.templateName(),
        "ramet",
        ENVD_VERSION,
        accessToken,
        domain,
        s.startedAt().toString(),
        s.endAt() == null ? null : s.endAt().toString(),
        state(s),
        s.stateDetail(),
        s.cpuCount(),
        s.memoryBytes() / MIB,
        s.diskBytes() / MIB,
        s.metadata(),
        lifecycle(s.rules()),
        s.parentId(),
        s.hypervisorPid(),
        s.outbound(),
        s.memoryMode(),
        network,
        trafficToken,
        volumes(s.rules()),
        s.agent() == Sandbox.Agent.NONE ? null : s.agent().name().toLowerCase(Locale.ROOT));
  }

  /**
   * Converts the network rules of a sandbox.
   *
   * @param all whether to include the rules for requests, whose headers may contain credentials
   */
  private static @Nullable NetworkSettings network(SandboxRules rules, boolean all) {
    NetworkRules out = rules.network();
    InboundRules in = rules.inbound();
    if (out.none() && in.equals(InboundRules.PLAIN)) {
      return null;
    }
    return new NetworkSettings(
        out.allowOut(),
        out.denyOut(),
        in.anyone() ? null : Boolean.FALSE,
        in.hostMask(),
        in.httpsPorts().isEmpty() ? null : List.copyOf(in.httpsPorts()),
        proxy(out.egressProxy()),
        out.requests().none() || !all ? null : requests(out.requests()));
  }

  /**
   * Converts rules for requests as they were given: with references to secrets, never with their
   * values.
   */
  private static Map<String, List<NetworkRule>> requests(RequestRules rules) {
    Map<String, List<NetworkRule>> view = new LinkedHashMap<>();
    rules
        .byHost()
        .forEach(
            (host, list) ->
                view.put(
                    host,
                    list.stream()
                        .map(headers -> new NetworkRule(new NetworkRule.Transform(headers)))
                        .toList()));
    return view;
  }

  public SecretInfo of(Secret s) {
    return new SecretInfo(
        s.id(),
        s.name(),
        s.version(),
        s.metadata(),
        s.createdAt().toString(),
        s.updatedAt().toString());
  }

  /** Omits the password, which is never returned. */
  private static NetworkSettings.@Nullable EgressProxy proxy(@Nullable UpstreamProxy proxy) {
    return proxy == null
        ? null
        : new NetworkSettings.EgressProxy(proxy.address(), proxy.username(), null);
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

  public SandboxMetric of(Metrics m) {
    return new SandboxMetric(
        m.at().toString(),
        m.at().getEpochSecond(),
        m.cpuCount(),
        m.cpuUsedPercent(),
        m.memoryUsedBytes(),
        m.memoryTotalBytes(),
        m.memoryCacheBytes(),
        m.diskUsedBytes(),
        m.diskTotalBytes());
  }

  static String state(Sandbox s) {
    return s.state().name().toLowerCase(Locale.ROOT);
  }

  public SnapshotInfo of(Snapshot s) {
    String time = s.createdAt().toString();
    return new SnapshotInfo(
        s.id(),
        s.name() == null ? List.of() : List.of(s.name()),
        s.description(),
        s.status().name(),
        s.statusDetail(),
        s.sandboxId(),
        s.sandboxId(),
        s.templateId(),
        time,
        time,
        s.cpuCount(),
        s.memoryBytes() / MIB,
        s.diskBytes() / MIB,
        s.exclusiveBytes(),
        s.usedBy(),
        of(s.workingSet()),
        s.capture() == null ? null : of(s.capture()),
        s.tags());
  }

  private static SnapshotInfo.@Nullable WorkingSet of(Snapshot.@Nullable WorkingSet s) {
    return s == null
        ? null
        : new SnapshotInfo.WorkingSet(s.recordedOf(), s.pages(), s.bytes(), s.whole());
  }

  private static CaptureInfo.@Nullable Replaced of(CaptureReport.@Nullable Replaced r) {
    return r == null
        ? null
        : new CaptureInfo.Replaced(
            r.snapshotId(), r.inPlace() ? "in-place" : "rebuild", r.reason());
  }

  public CaptureInfo of(CaptureReport c) {
    return new CaptureInfo(
        c.mode(),
        c.modeReason(),
        c.passedOver().stream()
            .map(r -> new CaptureInfo.PassedOver(r.mode(), word(r.cause()), r.detail()))
            .toList(),
        c.memoryBytesTotal(),
        c.memoryBytesSelected(),
        c.memoryBytesWritten(),
        c.memoryBytesHoles(),
        millis(c.pauseNanos()),
        millis(c.totalNanos()),
        millis(c.phaseNanos()),
        millis(c.pausePhaseNanos()),
        c.precopyRounds(),
        c.precopyBytes(),
        of(c.replaced()));
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Map<String, Double> millis(Map<String, Long> nanos) {
    Map<String, Double> millis = new LinkedHashMap<>();
    nanos.forEach((phase, n) -> millis.put(phase, millis(n)));
    return millis;
  }

  public SnapshotDiff of(SnapshotDifference d) {
    ImageDifference memory = d.memory();
    return new SnapshotDiff(
        d.a(), d.b(), memory == null ? null : of(memory), of(d.disk()), millis(d.nanos()));
  }

  private static SnapshotDiff.Image of(ImageDifference d) {
    return new SnapshotDiff.Image(
        d.sizeBytes(),
        d.differingBytes(),
        d.differingBytes() / PAGE_BYTES,
        d.rangeCount(),
        d.ranges().stream().map(r -> new SnapshotDiff.Range(r.offset(), r.length())).toList(),
        d.sharedBytes(),
        d.comparedBytes());
  }

  public TemplateInfo of(Template t) {
    return new TemplateInfo(
        t.id(),
        List.of(t.name()),
        List.of(t.name()),
        t.status().name(),
        t.statusDetail(),
        t.warm(),
        t.cpuCount(),
        t.memoryBytes() / MIB,
        t.diskBytes() / MIB,
        t.exclusiveBytes(),
        t.createdAt().toString(),
        t.contentKey(),
        millis(t.buildNanos()),
        t.tags());
  }

  public DoctorInfo of(Doctor.Report r) {
    return new DoctorInfo(
        r.verdict().name(),
        r.host(),
        r.plugins().stream()
            .map(
                p ->
                    new DoctorInfo.Plugin(
                        p.role(),
                        p.id(),
                        p.origin().plugin(),
                        p.origin().jar(),
                        p.origin().module(),
                        p.origin().version(),
                        p.origin().nativeAccess(),
                        p.outcome().name(),
                        p.outcome().reason(),
                        p.outcome().detail(),
                        p.outcome().remedy(),
                        p.capabilities(),
                        p.evidence(),
                        p.probeMillis()))
            .toList(),
        r.selections().stream()
            .map(s -> new DoctorInfo.Selection(s.role(), s.where(), s.chosen(), s.reason()))
            .toList(),
        r.advice());
  }

  /** Returns milliseconds with three decimals: readable, and finer than the clock's accuracy. */
  public static double millis(long nanos) {
    return Math.round(nanos / 1_000.0) / 1_000.0;
  }
}
