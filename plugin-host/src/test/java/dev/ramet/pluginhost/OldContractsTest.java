// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a plugin built against earlier contracts of the same version is refused when it is
 * loaded, although Java would link it, and that the host loads the others.
 */
final class OldContractsTest {
  private static final String VERSION = "0.1.0-SNAPSHOT";

  private final PluginFolder folder;

  OldContractsTest(@TempDir Path directory) throws IOException {
    folder = new PluginFolder(directory);
  }

  /** The contracts as they were while plugins stated capabilities by name. */
  private static Map<String, String> contracts() {
    Map<String, String> sources = new HashMap<>();
    sources.put(
        "module-info.java",
        """
        module dev.ramet.spi {
          exports dev.ramet.spi;
          exports dev.ramet.spi.memory;
        }
        """);
    sources.put(
        "dev/ramet/spi/ProbeContext.java",
        "package dev.ramet.spi; public record ProbeContext(java.nio.file.Path root) {}");
    sources.put(
        "dev/ramet/spi/ProbeResult.java",
        """
        package dev.ramet.spi;
        import java.util.Map;
        import java.util.Set;
        public interface ProbeResult {
          record Usable(Set<String> capabilities, Map<String, String> evidence)
              implements ProbeResult {}
          record Unusable(String reason, String detail, String remedy) implements ProbeResult {}
        }
        """);
    sources.put(
        "dev/ramet/spi/memory/MemoryCapabilities.java",
        """
        package dev.ramet.spi.memory;
        public final class MemoryCapabilities {
          public static final String ANY_MEMORY = "any-memory";
          public static java.util.Set<String> all() { return java.util.Set.of(ANY_MEMORY); }
        }
        """);
    sources.put(
        "dev/ramet/spi/memory/MemoryMode.java",
        "package dev.ramet.spi.memory; public interface MemoryMode extends AutoCloseable {}");
    sources.put(
        "dev/ramet/spi/memory/MemoryModeProvider.java",
        """
        package dev.ramet.spi.memory;
        import dev.ramet.spi.ProbeContext;
        import dev.ramet.spi.ProbeResult;
        public interface MemoryModeProvider {
          String id();
          ProbeResult probe(ProbeContext where);
          MemoryMode open(ProbeContext where);
        }
        """);
    return sources;
  }

  /**
   * Returns the sources of a memory mode.
   *
   * @param result the expression of its probe's result
   */
  private static Map<String, String> mode(String result) {
    return Map.of(
        "module-info.java",
        """
        module com.old {
          requires dev.ramet.spi;
          provides dev.ramet.spi.memory.MemoryModeProvider with com.old.Entry;
        }
        """,
        "com/old/Entry.java",
        """
        package com.old;
        import dev.ramet.spi.*;
        import dev.ramet.spi.memory.*;
        import java.util.*;
        public class Entry implements MemoryModeProvider {
          @Override public String id() { return "old"; }
          @Override public ProbeResult probe(ProbeContext where) {
            return %s;
          }
          @Override public MemoryMode open(ProbeContext where) { return null; }
        }
        """
            .formatted(result));
  }

  private void install(String result) {
    PluginMaker maker = folder.maker();
    Path old = maker.compile(VERSION, List.of(), contracts()).into(folder.beside("spi.jar"));
    maker.compile(null, List.of(old), mode(result)).into(folder.bad("old.jar"));
  }

  @Test
  void namesTheTypeThatIsMissing() {
    install("new ProbeResult.Usable(MemoryCapabilities.all(), Map.of())");
    folder.refusedFor(
        "old.jar",
        "com.old",
        "it uses the type dev.ramet.spi.memory.MemoryCapabilities, which this host's"
            + " contracts do not have");
  }

  @Test
  void namesTheMemberThatIsMissing() {
    install("new ProbeResult.Usable(Set.of(\"any-memory\"), Map.of())");
    folder.refusedFor(
        "old.jar",
        "com.old",
        "it uses a constructor with the parameters (Ljava.util.Set;Ljava.util.Map;) of the type"
            + " dev.ramet.spi.ProbeResult$Usable, which");
  }

  /** Nothing that it calls is missing, but something that the host calls. */
  @Test
  void refusesOneWithoutFacts() {
    install("new ProbeResult.Unusable(\"never\", \"\", \"\")");
    folder.refusedFor("old.jar", "com.old", "AbstractMethodError");
  }
}
