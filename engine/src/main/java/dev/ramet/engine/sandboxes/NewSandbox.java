// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandboxes;

import dev.ramet.engine.WantedShape;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a sandbox.
 *
 * @param template id or name of a template or snapshot, optionally with a tag
 * @param timeout how long it may exist, or null for ever
 * @param label its name and labels
 * @param environment environment variables of its processes
 * @param shape its size; another number of CPUs or size than the template forces a boot
 * @param outbound whether it may open connections, or null for the host's default
 * @param memoryMode id of the only memory mode for captures of it, or null to choose
 * @param rules its lifetime, access and network rules
 */
public record NewSandbox(
    String template,
    @Nullable Duration timeout,
    Sandbox.Label label,
    Map<String, String> environment,
    WantedShape shape,
    @Nullable Boolean outbound,
    @Nullable String memoryMode,
    SandboxRules rules) {
  /** Returns a builder for a plain sandbox of a template: no timeout, no rules, its size. */
  public static Builder of(String template) {
    return new Builder(template);
  }

  /** Takes the components by name. */
  public static final class Builder {
    private final String template;
    private @Nullable Duration timeout;
    private Sandbox.Label label = Sandbox.Label.NONE;
    private Map<String, String> environment = Map.of();
    private WantedShape shape = WantedShape.ANY;
    private @Nullable Boolean outbound;
    private @Nullable String memoryMode;
    private SandboxRules rules = SandboxRules.PLAIN;

    private Builder(String template) {
      this.template = template;
    }

    public Builder timeout(@Nullable Duration value) {
      timeout = value;
      return this;
    }

    public Builder name(@Nullable String value) {
      label = new Sandbox.Label(value, label.metadata());
      return this;
    }

    public Builder metadata(Map<String, String> value) {
      label = new Sandbox.Label(label.name(), value);
      return this;
    }

    public Builder environment(Map<String, String> value) {
      environment = value;
      return this;
    }

    public Builder shape(WantedShape value) {
      shape = value;
      return this;
    }

    public Builder outbound(@Nullable Boolean value) {
      outbound = value;
      return this;
    }

    public Builder memoryMode(@Nullable String value) {
      memoryMode = value;
      return this;
    }

    public Builder rules(SandboxRules value) {
      rules = value;
      return this;
    }

    /** Returns the request. */
    public NewSandbox build() {
      return new NewSandbox(
          template, timeout, label, environment, shape, outbound, memoryMode, rules);
    }
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Integer cpuCount() {
    return shape.cpuCount();
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Long memoryBytes() {
    return shape.memoryBytes();
  }

  /** Returns this part of {@link #shape}. */
  public @Nullable Long diskBytes() {
    return shape.diskBytes();
  }

  /** Copies the map. */
  public NewSandbox {
    environment = Map.copyOf(environment);
  }
}
