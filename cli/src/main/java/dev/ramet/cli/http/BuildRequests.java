// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.http;

import dev.ramet.api.template.BuildEvent;
import dev.ramet.api.template.TemplateInfo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Sends requests to build templates, whose progress is streamed line by line. */
public final class BuildRequests {
  private BuildRequests() {}

  /**
   * Builds or imports a template.
   *
   * @param step receives each step as it begins
   * @return the template
   */
  public static TemplateInfo run(Client client, String path, Object body, Consumer<String> step) {
    TemplateInfo[] made = new TemplateInfo[1];
    Streams.post(
        client,
        path,
        body,
        line -> {
          BuildEvent event = Json.read(line.getBytes(StandardCharsets.UTF_8), BuildEvent.class);
          Streams.check(event.error());
          if (event.template() != null) {
            made[0] = event.template();
          } else if (event.step() != null) {
            step.accept(event.step());
          }
        });
    if (made[0] != null) {
      return made[0];
    }
    throw new RametException(
        ErrorCode.UNAVAILABLE, "the host stopped responding before the template was done");
  }
}
