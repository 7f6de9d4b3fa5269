// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.start.EngineFactory;
import java.nio.file.Path;

/** A host that opens a data root, which starts with the probes. */
final class Probing {
  private Probing() {}

  /** Argument: the data root. */
  public static void main(String[] arguments) {
    EngineFactory.open(TestConfig.of(Path.of(arguments[0]), 0, StepObserver.NONE)).close();
  }
}
