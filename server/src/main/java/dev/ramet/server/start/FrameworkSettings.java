// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.settings.SettingGroup;
import java.time.Duration;

/** The settings of Micronaut that operators may change. It reads them itself. */
final class FrameworkSettings {
  /** How long a stopping host waits. */
  static final Setting<Duration> GRACE =
      Setting.duration(
          "micronaut.lifecycle.graceful-shutdown.grace-period",
          Duration.ofSeconds(20),
          "How long a stopping host waits for requests in flight.");

  private FrameworkSettings() {}

  static SettingGroup group() {
    return SettingGroup.of(
        "server",
        Setting.number(
                "micronaut.server.max-request-size",
                1,
                1 << 30,
                "The largest request body of the API; guest traffic is streamed and has no limit.")
            .byDefault(1_048_576)
            .in("bytes"),
        GRACE,
        Setting.number(
                "micronaut.netty.event-loops.default.num-threads",
                1,
                256,
                "Threads for network input and output.")
            .byDefault(2)
            .in("threads"),
        Setting.number(
                "micronaut.executors.blocking.n-threads",
                1,
                4096,
                "Threads for operations on sandboxes, which block.")
            .byDefault(64)
            .in("threads"),
        Setting.number(
                "micronaut.executors.lookup.n-threads",
                1,
                4096,
                "Threads that look up the address of a guest's port.")
            .byDefault(8)
            .in("threads"));
  }
}
