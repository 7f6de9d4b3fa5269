// SPDX-License-Identifier: Apache-2.0
package dev.ramet.api.host;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The doctor's report: what this host can do, which plugins it selected, and why. Immutable and
 * thread-safe if its collections are.
 *
 * @param verdict the overall result: {@code GOOD}, {@code DEGRADED} or {@code BROKEN}
 * @param host facts about the host, by name
 * @param plugins every plugin with its probe outcome
 * @param selections the plugin selected for each role
 * @param advice improvements to this host, most useful first
 */
public record DoctorInfo(
    String verdict,
    Map<String, String> host,
    List<Plugin> plugins,
    List<Selection> selections,
    List<String> advice) {
  /**
   * The probe report of one plugin.
   *
   * @param role {@code storage}, {@code storage-memory}, {@code memory} or {@code hypervisor};
   *     empty for a refused plugin
   * @param id the plugin's id; for a refused plugin, the id of its folder
   * @param plugin the folder it was loaded from, or {@code built-in}
   * @param jar the file name of its jar, or empty
   * @param module the module that contains it, or empty
   * @param version that module's version, or empty
   * @param nativeAccess whether it may call native code, in words for people
   * @param outcome {@code usable}, {@code unusable}, {@code failed}, or {@code refused} when it was
   *     not loaded at all
   * @param reason short phrase: why it is unusable, failed or was refused; empty when usable
   * @param detail what the probe tried and the result
   * @param remedy what the operator can do, or null
   * @param capabilities what it can do
   * @param evidence the observations that prove it
   * @param probeMillis duration of the probe in milliseconds
   */
  public record Plugin(
      String role,
      String id,
      String plugin,
      String jar,
      String module,
      String version,
      String nativeAccess,
      String outcome,
      String reason,
      String detail,
      @Nullable String remedy,
      List<String> capabilities,
      Map<String, String> evidence,
      long probeMillis) {
    /** Returns an empty builder. */
    public static Builder builder() {
      return new Builder();
    }

    /**
     * Takes the components by name. Numbers, collections and components that may be null need not
     * be set; {@link #build} fails without any of the others.
     */
    public static final class Builder {
      private @Nullable String role;
      private @Nullable String id;
      private @Nullable String plugin;
      private @Nullable String jar;
      private @Nullable String module;
      private @Nullable String version;
      private @Nullable String nativeAccess;
      private @Nullable String outcome;
      private @Nullable String reason;
      private @Nullable String detail;
      private @Nullable String remedy;
      private List<String> capabilities = List.of();
      private Map<String, String> evidence = Map.of();
      private long probeMillis;

      private Builder() {}

      public Builder role(String value) {
        role = value;
        return this;
      }

      public Builder id(String value) {
        id = value;
        return this;
      }

      public Builder plugin(String value) {
        plugin = value;
        return this;
      }

      public Builder jar(String value) {
        jar = value;
        return this;
      }

      public Builder module(String value) {
        module = value;
        return this;
      }

      public Builder version(String value) {
        version = value;
        return this;
      }

      public Builder nativeAccess(String value) {
        nativeAccess = value;
        return this;
      }

      public Builder outcome(String value) {
        outcome = value;
        return this;
      }

      public Builder reason(String value) {
        reason = value;
        return this;
      }

      public Builder detail(String value) {
        detail = value;
        return this;
      }

      public Builder remedy(@Nullable String value) {
        remedy = value;
        return this;
      }

      public Builder capabilities(List<String> value) {
        capabilities = value;
        return this;
      }

      public Builder evidence(Map<String, String> value) {
        evidence = value;
        return this;
      }

      public Builder probeMillis(long value) {
        probeMillis = value;
        return this;
      }

      /** Returns a record of the components. */
      public Plugin build() {
        return new Plugin(
            Objects.requireNonNull(role, "role"),
            Objects.requireNonNull(id, "id"),
            Objects.requireNonNull(plugin, "plugin"),
            Objects.requireNonNull(jar, "jar"),
            Objects.requireNonNull(module, "module"),
            Objects.requireNonNull(version, "version"),
            Objects.requireNonNull(nativeAccess, "nativeAccess"),
            Objects.requireNonNull(outcome, "outcome"),
            Objects.requireNonNull(reason, "reason"),
            Objects.requireNonNull(detail, "detail"),
            remedy,
            capabilities,
            evidence,
            probeMillis);
      }
    }
  }

  /**
   * The selection for one role.
   *
   * @param role the role, for example {@code storage}
   * @param where the path that the selection applies to, or empty
   * @param chosen the plugin's id, or null when no plugin is usable
   * @param reason why it was selected
   */
  public record Selection(String role, String where, @Nullable String chosen, String reason) {}
}
