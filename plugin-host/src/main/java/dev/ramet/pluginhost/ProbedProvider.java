// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.pluginhost.find.PluginReport;
import dev.ramet.pluginhost.guard.GuardedProvider;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A provider and the result of its probe.
 *
 * @param role its role
 * @param provider the provider
 * @param result the result
 * @param millis how long the probe took
 */
public record ProbedProvider(
    PluginKind role, Provider<?> provider, ProbeResult result, long millis) {
  /** Returns whether it is usable on this host. */
  public boolean usable() {
    return result instanceof ProbeResult.Usable;
  }

  /** Returns the facts here, or those at best if the provider does not work here. */
  public Facts facts() {
    return result instanceof ProbeResult.Usable usable ? usable.facts() : provider.atBest();
  }

  /** Returns the facts here, if the provider works here and has facts of that type. */
  public <F extends Facts> Optional<F> usableFacts(Class<F> type) {
    return result instanceof ProbeResult.Usable usable && type.isInstance(usable.facts())
        ? Optional.of(type.cast(usable.facts()))
        : Optional.empty();
  }

  /**
   * Returns whether the probe failed because the file system is full. This says nothing about data
   * that exists already.
   */
  public boolean noRoom() {
    if (result instanceof ProbeResult.Unusable unusable) {
      return unusable.noRoom();
    }
    return result instanceof ProbeResult.Failed failed
        && failed.cause() instanceof RametException cause
        && cause.code() == ErrorCode.NO_SPACE;
  }

  /** Returns why it is not usable, or an empty string. */
  public String reason() {
    if (result instanceof ProbeResult.Unusable unusable) {
      return unusable.reason();
    }
    return result instanceof ProbeResult.Failed failed ? "probe failed: " + failed.cause() : "";
  }

  /** Returns the remedy, or an empty string. */
  public String remedy() {
    return result instanceof ProbeResult.Unusable unusable ? unusable.remedy() : "";
  }

  /** Returns a report for people. */
  public PluginReport report() {
    if (result instanceof ProbeResult.Usable usable) {
      return report(
          new PluginReport.Outcome("usable", "", "", null),
          List.copyOf(usable.facts().names()),
          usable.evidence());
    }
    PluginReport.Outcome outcome =
        result instanceof ProbeResult.Unusable unusable
            ? new PluginReport.Outcome(
                "unusable", unusable.reason(), unusable.detail(), unusable.remedy())
            : new PluginReport.Outcome("failed", reason(), reason(), null);
    return report(outcome, List.of(), Map.of());
  }

  private PluginReport report(
      PluginReport.Outcome outcome, List<String> capabilities, Map<String, String> evidence) {
    Origin origin =
        provider instanceof GuardedProvider<?> guarded
            ? guarded.origin()
            : Origin.builtIn(provider.getClass().getModule());
    return new PluginReport(
        role.label(), provider.id(), origin, outcome, capabilities, evidence, millis);
  }
}
