// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.start.Engine;
import dev.ramet.engine.templates.BuildLog;
import dev.ramet.engine.templates.BuildStep;
import dev.ramet.engine.templates.DerivedTemplate;
import dev.ramet.engine.templates.StartCommands;
import dev.ramet.engine.templates.Template;
import java.util.List;

/** Makes templates from the usual one. */
final class DerivedTemplates {
  private DerivedTemplates() {}

  /** Derives a template from the usual one by running a command. */
  static Template derive(Engine engine, String name, String command) {
    BuildLog silent =
        new BuildLog() {
          @Override
          public void stepReached(int number) {}

          @Override
          public void step(String description) {}

          @Override
          public void output(boolean error, String line) {}

          @Override
          public void heartbeat() {}
        };
    return engine
        .templates()
        .derive(
            new DerivedTemplate(
                engine.templates().newId(),
                name,
                List.of(),
                Ground.TEMPLATE,
                null,
                null,
                List.of(new BuildStep.Run(command, null)),
                StartCommands.NONE),
            silent);
  }
}
