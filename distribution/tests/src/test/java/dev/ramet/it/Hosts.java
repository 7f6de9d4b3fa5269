// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Separate processes that run the engine, to be killed by tests. */
final class Hosts {
  private Hosts() {}

  /** Starts a class of this package in a process with the same modules as this one. */
  static Process start(String className, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      // The test runner's agents and debuggers are not passed on.
      if (!argument.startsWith("-javaagent") && !argument.startsWith("-agentlib")) {
        command.add(argument);
      }
    }
    // As the launcher starts hosts. Most live too briefly for the second compiler, but hashing a
    // disk is slow without it.
    command.add("-XX:+UseSerialGC");
    List<String> given = List.of(arguments);
    if (!given.contains("export") && !given.contains("import")) {
      command.add("-XX:TieredStopAtLevel=1");
    }
    // The directory of recipes belongs to this process, which deletes it.
    command.add("-Dramet.guest=" + GuestFiles.directory());
    command.add("-D" + GuestFiles.MADE + "=true");
    command.add("-Dramet.cache=" + System.getProperty("ramet.cache"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("dev.ramet.it" + "." + className);
    command.addAll(given);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target/dying-host.log")))
        .start();
  }

  /** Returns the command line of a process; empty if the process is gone. */
  static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
    } catch (IOException gone) {
      return "";
    }
  }
}
