// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.hypervisor.Hypervisor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Ground for tests of guarded plugins. */
abstract class GuardGround {
  static final Faults.Kind[] KINDS = Faults.Kind.values();

  final List<String> calls = new ArrayList<>();

  GuardedHypervisor hypervisor(Hypervisor real) {
    return new GuardedHypervisor(real, Faults.guard());
  }

  GuardedHypervisor recording() {
    return hypervisor(Faults.recording(Hypervisor.class, calls));
  }

  void broken(String call, Map<String, Object> answers, Runnable use) {
    RametException e = assertThrows(RametException.class, use::run);
    assertEquals(ErrorCode.INTERNAL, e.code());
    assertTrue(
        String.valueOf(e.getMessage()).contains("in " + call + "()"), () -> e + " " + answers);
  }
}
