// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.egress.rule.Secrets;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.Metric;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.start.Engine;
import dev.ramet.engine.templates.Templates;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.pluginhost.Selection;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.PluginReport;
import dev.ramet.server.settings.FakeStorage;
import java.util.List;
import java.util.Map;

/** An engine in memory: it keeps records and runs nothing. */
public final class FakeEngine implements Engine {
  final FakeTemplates templates = new FakeTemplates();
  final FakeSandboxes sandboxes = new FakeSandboxes(this);
  final FakeSnapshots snapshots = new FakeSnapshots(this);
  final FakeVolumes volumes = new FakeVolumes(this);
  final FakeStorage storage = new FakeStorage();
  final FakeSecrets secrets = new FakeSecrets();
  volatile boolean closed;

  @Override
  public Sandboxes sandboxes() {
    return sandboxes;
  }

  @Override
  public Snapshots snapshots() {
    return snapshots;
  }

  @Override
  public Templates templates() {
    return templates;
  }

  @Override
  public Volumes volumes() {
    return volumes;
  }

  @Override
  public Storage storage() {
    return storage;
  }

  @Override
  public Secrets secrets() {
    return secrets;
  }

  @Override
  public List<Metric> metrics() {
    return List.of(
        new Metric(
            "ramet_things_total",
            Metric.Type.COUNTER,
            "Things\\of\na kind.",
            List.of(
                new Metric.Sample("", Map.of("kind", "a \"b\"\n"), 3),
                new Metric.Sample("_sum", Map.of(), 0.0025))));
  }

  @Override
  public Doctor doctor() {
    return refresh ->
        new Doctor.Report(
            Doctor.Verdict.DEGRADED,
            Map.of("refreshed", Boolean.toString(refresh)),
            List.of(
                new PluginReport(
                    "storage",
                    "copy",
                    new Origin("built-in", "m.jar", "m", "", "the host's"),
                    new PluginReport.Outcome("usable", "", "", null),
                    List.of(),
                    Map.of(),
                    3)),
            List.of(new Selection("hypervisor", "", null, "none")),
            List.of());
  }

  @Override
  public void close() {
    closed = true;
  }
}
