// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ramet.cli.command.Context;
import dev.ramet.cli.term.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class ServeTest {
  @Test
  void optionsBecomeArgumentsOfTheHost() {
    Serve serve =
        new Serve(
            new Context(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                Map.of(),
                Terminal.NONE));
    new CommandLine(serve)
        .parseArgs("--port", "4000", "--data-root", "/a/../b", "--set", "ramet.accelerator=tcg");
    assertEquals(
        List.of("-ramet.port=4000", "-ramet.data-root=/b", "-ramet.accelerator=tcg"),
        serve.arguments());
  }
}
