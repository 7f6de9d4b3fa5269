// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.template.TemplateInfo;
import dev.ramet.engine.templates.Template;
import java.util.List;

/** Converts templates to their wire form. */
public final class TemplateView {
  private TemplateView() {}

  public static TemplateInfo of(Template t) {
    return TemplateInfo.builder()
        .templateID(t.id())
        .aliases(List.of(t.name()))
        .names(List.of(t.name()))
        .status(t.status().name())
        .statusDetail(t.statusDetail())
        .warm(t.warm())
        .cpuCount(t.cpuCount())
        .memoryMB(t.memoryBytes() / Units.MIB)
        .diskSizeMB(t.diskBytes() / Units.MIB)
        .exclusiveBytes(t.exclusiveBytes())
        .createdAt(t.createdAt().toString())
        .contentKey(t.contentKey())
        .buildMs(Units.millis(t.buildNanos()))
        .tags(t.tags())
        .build();
  }
}
