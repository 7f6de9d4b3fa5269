// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the doctor's output and exit status. */
final class DoctorCommandTest {
  @AutoClose private final FakeHost host = new FakeHost();

  @Test
  void doctorExplains() {
    host.on("/doctor", 200, Answers.doctor("DEGRADED", 1L << 30));
    FakeHost.Outcome done = host.run("doctor");
    assertEquals(0, done.status());
    for (String part :
        new String[] {
          "DEGRADED",
          "1 GiB",
          "no qemu; apt-get install qemu-system-x86",
          "acme.jar",
          "it is not a module; make it one",
          "- use XFS"
        }) {
      assertTrue(done.out().contains(part), part + " in " + done.out());
    }
    host.run("doctor", "--refresh");
    assertEquals("/doctor?refresh=true", host.requests.get(1).uri());
  }

  @ParameterizedTest
  @CsvSource({"GOOD,0,0", "DEGRADED,0,1", "BROKEN,2,2"})
  void theVerdictHasAStatus(String verdict, int status, int strict) {
    host.on("/doctor", 200, Answers.doctor(verdict, 0));
    assertEquals(status, host.run("doctor").status());
    assertEquals(status, host.run("doctor", "--json").status());
    assertEquals(strict, host.run("doctor", "--strict").status());
  }
}
