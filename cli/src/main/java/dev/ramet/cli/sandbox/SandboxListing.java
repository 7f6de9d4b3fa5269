// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.cli.output.Filter;
import dev.ramet.cli.output.Listing;
import dev.ramet.cli.output.Listing.HostFilter;
import dev.ramet.cli.term.HumanFormat;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The columns and filters of lists of sandboxes. */
final class SandboxListing {
  private SandboxListing() {}

  /** Returns the listing for a table of that moment. */
  static Listing<SandboxInfo> at(Instant now) {
    return new Listing<>(SandboxInfo[].class, SandboxInfo::sandboxID)
        .column("SANDBOX", SandboxInfo::sandboxID)
        .column("TEMPLATE", s -> s.alias() == null ? s.templateID() : s.alias())
        .column("STATE", s -> HumanFormat.state(s.state(), s.standstill()))
        .column("CPU", s -> "" + s.cpuCount())
        .column("MEMORY", s -> HumanFormat.mebibytes(s.memoryMB()))
        .wide("DISK", s -> HumanFormat.mebibytes(s.diskSizeMB()))
        .column("STARTED", s -> HumanFormat.timeSince(s.startedAt(), now))
        .column("ENDS", s -> HumanFormat.timeUntilEnd(s.state(), s.endAt(), now))
        .column("NAME", SandboxInfo::name)
        .wide("PARENT", SandboxInfo::parentID)
        .wide("PROCESS", s -> s.hypervisorPid() == null ? null : "" + s.hypervisorPid())
        .wide("LABELS", s -> String.join(",", labels(s)))
        .filter("state", s -> List.of(s.state()))
        .filter("template", SandboxListing::templates)
        .filter("name", s -> s.name() == null ? List.of() : List.of(s.name()))
        .filter(Filter.LABEL, SandboxListing::labels)
        .byHost("state", "state", HostFilter.JOINED)
        .byHost(Filter.LABEL, "label", HostFilter.REPEATED);
  }

  private static List<String> templates(SandboxInfo s) {
    return s.alias() == null ? List.of(s.templateID()) : List.of(s.templateID(), s.alias());
  }

  /** Returns the labels as KEY=VALUE, sorted. */
  static List<String> labels(SandboxInfo s) {
    return new TreeMap<>(s.metadata() == null ? Map.of() : s.metadata())
        .entrySet().stream().map(pair -> pair.getKey() + "=" + pair.getValue()).toList();
  }
}
