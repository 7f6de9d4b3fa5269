// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the programs that measure the floors of captures. Used by one thread. */
final class MemoryFloors {
  private static final int STREAM_HEADER_BYTES = 8;
  private static final int PAGE = 4096;
  private static final String WRITTEN = "written";

  private final Settings settings;
  private final Floors floors;

  MemoryFloors(Settings settings, Floors floors) {
    this.settings = settings;
    this.floors = floors;
  }

  /**
   * What an independent program found.
   *
   * @param bytes length of the pages that differ and are not zero in the newer image
   * @param readMs how long reading the pages that differ took, each time
   */
  record Delta(long bytes, Samples readMs) {}

  /** Compares the memory of two snapshots of a machine, and reads what differs from it. */
  Delta delta(Machine machine, String older, String newer, int times)
      throws IOException, InterruptedException {
    List<String> lines =
        floors.run(
            List.of(
                floors.program("memory-floor"),
                "delta",
                Long.toString(machine.pid()),
                machine.image().toString(),
                memory(machine, older).toString(),
                memory(machine, newer).toString(),
                Integer.toString(times)),
            settings.work());
    String[] found = lines.get(0).split(" ", -1);
    Samples read = new Samples();
    for (String line : lines.subList(1, lines.size())) {
      read.add(Long.parseLong(line) / 1e6);
    }
    long bytes = (Long.parseLong(found[0]) - Long.parseLong(found[1])) * PAGE;
    return new Delta(bytes, read);
  }

  /**
   * Passes over a machine's page table, in milliseconds.
   *
   * @param table reading all of it and looking for private pages
   * @param written asking the kernel for what was written; empty where it cannot say
   */
  record Scans(Samples table, Samples written) {
    Scans() {
      this(new Samples(), new Samples());
    }
  }

  /**
   * Adds a pass of each kind, by a program that was just started: a capture, too, looks once, and
   * after the guest has run.
   */
  void scan(Machine machine, Scans into) throws IOException, InterruptedException {
    scanWritten(machine, into);
    scanTable(machine, into);
  }

  /** Adds a pass over the page table. */
  void scanTable(Machine machine, Scans into) throws IOException, InterruptedException {
    into.table().add(pass(machine, "table") / 1e6);
  }

  private void scanWritten(Machine machine, Scans into) throws IOException, InterruptedException {
    long nanos = pass(machine, "written");
    if (nanos >= 0) {
      into.written().add(nanos / 1e6);
    }
  }

  private long pass(Machine machine, String kind) throws IOException, InterruptedException {
    List<String> command =
        List.of(
            floors.program("memory-floor"),
            kind,
            Long.toString(machine.pid()),
            machine.image().toString());
    return Long.parseLong(floors.run(command, settings.work()).get(0));
  }

  /** Files written and synced by threads, together; they stay, until {@link #forgetWritten}. */
  double write(Path directory, int files, long bytesEach) throws IOException, InterruptedException {
    Path into = Files.createDirectory(directory.resolve(WRITTEN));
    return millis(
            floors.run(
                List.of(
                    floors.program("memory-floor"),
                    "write",
                    into.toString(),
                    Integer.toString(files),
                    Long.toString(bytesEach)),
                settings.work()))
        .p50();
  }

  /**
   * What the file system alone takes for so many captures at once: clones of the older images, with
   * what differs in the newer ones written to them as it lies there, and synced; they stay, until
   * {@link #forgetWritten}.
   *
   * @param like snapshots of the machine's root, the older and the newer one of each sandbox
   */
  double overlay(Machine machine, List<String[]> like) throws IOException, InterruptedException {
    Path into = Files.createDirectory(machine.scratch().resolve(WRITTEN));
    List<String> command = new ArrayList<>();
    command.addAll(List.of(floors.program("memory-floor"), "overlay", into.toString()));
    for (String[] pair : like) {
      command.add(memory(machine, pair[0]).toString());
      command.add(memory(machine, pair[1]).toString());
    }
    return millis(floors.run(command, settings.work())).p50();
  }

  /**
   * Sees to it that the next file of so many bytes is measured, and not what came before it: what
   * deletions leave to the file system is done, and there is memory that a file just had. Where the
   * machine is a guest itself, memory that it has not used for a while takes its host up to fifty
   * times as long to give as it takes to fill, and who gets some of it would be left to chance.
   */
  void settle(Path directory, long bytes) throws IOException, InterruptedException {
    floors.run(List.of("sync", "-f", directory.toString()), settings.work());
    Path file = directory.resolve("settle");
    write(file, 2 * bytes);
    // Before any of it is on its way to the disk.
    Files.delete(file);
    // What the first sync made the pool discard, the file system below it has to write down.
    floors.run(List.of("sync"), settings.work());
  }

  /** A file of so many bytes, written and synced by dd; the one before is deleted then. */
  double dd(Path directory, long bytes) throws IOException, InterruptedException {
    Path file = directory.resolve("dd");
    Path before = directory.resolve("dd-before");
    if (Files.exists(file)) {
      Files.move(file, before);
    }
    try {
      return write(file, bytes, "conv=fdatasync");
    } finally {
      Files.deleteIfExists(before);
    }
  }

  /** In pieces as long as those that captures are written in, which decides on memory, too. */
  private double write(Path file, long bytes, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("dd", "if=/dev/zero", "of=" + file, "bs=4M", "iflag=count_bytes"));
    command.addAll(List.of("count=" + bytes, "status=none"));
    command.addAll(List.of(more));
    return floors.time(command, Map.of());
  }

  /** Removes what {@link #write} wrote. */
  void forgetWritten(Path directory) throws IOException {
    Path from = directory.resolve(WRITTEN);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(from);
  }

  /** Removes what dd wrote last. */
  void forget(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve("dd"));
  }

  /** Pauses for {@code migrate} to a file. No host may be connected to the machine. */
  Samples migrate(Machine machine, int times) throws IOException, InterruptedException {
    Path file = machine.scratch().resolve("migrated");
    List<String> command =
        List.of(
            floors.program("save-floor"),
            "migrate",
            "qmp.sock",
            file.toString(),
            Integer.toString(times));
    // In the machine's directory, because a socket's path is limited to 108 bytes.
    return millis(floors.run(command, machine.directory()));
  }

  /** Pauses for {@code savevm} of a machine like this one, on a qcow2 copy of its disk. */
  Samples savevm(Machine machine, Machine.Saved saved, int times)
      throws IOException, InterruptedException {
    Path disk = machine.scratch().resolve("disk.qcow2");
    Path stream = machine.scratch().resolve("savevm-stream");
    try {
      floors.run(
          List.of(
              "qemu-img",
              "convert",
              "-f",
              "raw",
              "-O",
              "qcow2",
              saved.disk().toString(),
              disk.toString()),
          settings.work());
      join(saved.devices(), stream);
      return millis(
          floors.run(
              List.of(
                  floors.program("save-floor"),
                  "savevm",
                  Long.toString(machine.pid()),
                  stream.toString(),
                  disk.toString(),
                  machine.scratch().toString(),
                  Integer.toString(times)),
              settings.work()));
    } finally {
      Files.deleteIfExists(disk);
      Files.deleteIfExists(stream);
    }
  }

  /** What QEMU loads: RAM blocks, then the device sections without their header. */
  private static void join(Path devices, Path stream) throws IOException {
    try (OutputStream out = Files.newOutputStream(stream);
        InputStream state = Files.newInputStream(devices.resolve("devices"))) {
      Files.copy(devices.resolve("ram-blocks"), out);
      state.skipNBytes(STREAM_HEADER_BYTES);
      state.transferTo(out);
    }
  }

  private static Samples millis(List<String> nanos) {
    Samples samples = new Samples();
    for (String line : nanos) {
      samples.add(Long.parseLong(line) / 1e6);
    }
    return samples;
  }

  /** A snapshot's memory image. */
  private static Path memory(Machine machine, String snapshot) throws IOException {
    Path name = Path.of(snapshot + ".memory");
    try (Stream<Path> files = Files.walk(machine.root().resolve("volumes"), 2)) {
      return files
          .filter(file -> name.equals(file.getFileName()) && Files.isRegularFile(file))
          .findFirst()
          .orElseThrow(() -> new IOException("no memory of " + snapshot + " in " + machine.root()));
    }
  }
}
