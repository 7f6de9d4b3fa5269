// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference.micro;

import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.nio.file.Path;

/** The hypervisor keeps the contract. */
class MicroHypervisorTest extends HypervisorTck {
  @Override
  protected HypervisorHarness harness(Path scratch) {
    return new MicroHarness(scratch, new MicroProvider());
  }
}
