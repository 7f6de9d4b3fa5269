// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.reference;

import dev.ramet.tck.HypervisorTck;
import dev.ramet.tck.hypervisor.HypervisorHarness;
import java.nio.file.Path;

/** The reference hypervisor keeps the contract. */
class ReferenceHypervisorTest extends HypervisorTck {
  @Override
  protected HypervisorHarness harness(Path scratch) {
    return new ReferenceHypervisorHarness(scratch, new ReferenceMachines());
  }
}
