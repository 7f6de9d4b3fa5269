// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.view;

import dev.ramet.api.host.DoctorInfo;
import dev.ramet.engine.Doctor;

/** Converts the doctor's reports to their wire form. */
public final class DoctorView {
  private DoctorView() {}

  public static DoctorInfo of(Doctor.Report r) {
    return new DoctorInfo(
        r.verdict().name(),
        r.host(),
        r.plugins().stream()
            .map(
                p ->
                    DoctorInfo.Plugin.builder()
                        .role(p.role())
                        .id(p.id())
                        .plugin(p.origin().plugin())
                        .jar(p.origin().jar())
                        .module(p.origin().module())
                        .version(p.origin().version())
                        .nativeAccess(p.origin().nativeAccess())
                        .outcome(p.outcome().name())
                        .reason(p.outcome().reason())
                        .detail(p.outcome().detail())
                        .remedy(p.outcome().remedy())
                        .capabilities(p.capabilities())
                        .evidence(p.evidence())
                        .probeMillis(p.probeMillis())
                        .build())
            .toList(),
        r.selections().stream()
            .map(s -> new DoctorInfo.Selection(s.role(), s.where(), s.chosen(), s.reason()))
            .toList(),
        r.advice());
  }
}
