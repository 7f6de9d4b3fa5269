// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads information about processes from proc(5). Sizes are in KiB. */
public final class Procfs {
  private Procfs() {}

  /**
   * Anonymous memory of a process.
   *
   * @param all everything
   * @param image private copies of pages of the memory image: those the guest has written
   * @param code executable memory: the output of a binary translator
   */
  public record Anonymous(long all, long image, long code) {}

  /** Returns the value of a field of {@code /proc/PID/status}. */
  public static long status(long pid, String field) throws IOException {
    for (String line : lines(pid, "status")) {
      if (line.startsWith(field + ":")) {
        return kib(line);
      }
    }
    throw new IOException("no " + field + " in the status of " + pid);
  }

  /** Returns the anonymous memory of a process whose memory image is this file. */
  public static Anonymous anonymous(long pid, Path image) throws IOException {
    return anonymous(lines(pid, "smaps"), image.toString());
  }

  static Anonymous anonymous(List<String> smaps, String image) {
    long all = 0;
    long ofImage = 0;
    long ofCode = 0;
    boolean isImage = false;
    boolean isCode = false;
    for (String line : smaps) {
      if (line.startsWith("Anonymous:")) {
        long size = kib(line);
        all += size;
        ofImage += isImage ? size : 0;
        ofCode += isCode ? size : 0;
      } else if (Character.isLowerCase(line.charAt(0)) || Character.isDigit(line.charAt(0))) {
        // A mapping: start-end perms offset device inode path. Fields begin with a capital.
        String[] fields = line.split(" +", 6);
        isImage = fields.length > 5 && fields[5].equals(image);
        isCode = fields[1].startsWith("rwx");
      }
    }
    return new Anonymous(all, ofImage, ofCode);
  }

  /** Returns the arguments a process was started with. */
  static List<String> arguments(long pid) throws IOException {
    String all = Files.readString(file(pid, "cmdline"), StandardCharsets.ISO_8859_1);
    List<String> arguments = new ArrayList<>();
    for (int start = 0, end; (end = all.indexOf('\0', start)) >= 0; start = end + 1) {
      arguments.add(all.substring(start, end));
    }
    return arguments;
  }

  private static List<String> lines(long pid, String name) throws IOException {
    return Files.readAllLines(file(pid, name), StandardCharsets.ISO_8859_1);
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  /** Parses "Name: 123 kB". */
  private static long kib(String line) {
    return Long.parseLong(line.replaceAll("[^0-9]", ""));
  }
}
