// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.memory;

import dev.ramet.bench.host.Floors;
import dev.ramet.bench.host.Machine;
import dev.ramet.bench.host.Settings;
import dev.ramet.bench.report.Samples;
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
   * The result of an independent comparison.
   *
   * @param bytes length of the pages that differ and are not zero in the newer image
   * @param readMs the durations of reading the pages that differ
   */
  record Delta(long bytes, Samples readMs) {}

  /**
   * Compares the memory of two snapshots of a machine, and reads the pages that differ from the
   * machine.
   */
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
   * Durations of passes over a machine's page table, in milliseconds.
   *
   * @param table reading all of it and looking for private pages
   * @param written asking the kernel which pages were written; empty where it does not know
   */
  record Scans(Samples table, Samples written) {
    Scans() {
      this(new Samples(), new Samples());
    }
  }

  /**
   * Adds a pass of each kind, by a newly started program: a capture too looks only once, and after
   * the guest has run.
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

  /**
   * Returns how long threads take together to write and sync files, which stay until {@link
   * #forgetWritten}.
   */
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
   * Returns how long the file system alone takes for this many captures at once: it clones the
   * older images, writes the differing pages of the newer ones to the same places, and syncs. The
   * files stay until {@link #forgetWritten}.
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
   * Prepares the measurement of a file of this size, so that earlier work does not distort it: the
   * file system has finished its deletions, and memory is available that a file has just used. If
   * this machine is itself a guest, its host takes up to fifty times as long to provide memory
   * unused for a while as it takes to fill it, and chance would decide which measurement pays for
   * that.
   */
  void settle(Path directory, long bytes) throws IOException, InterruptedException {
    floors.run(List.of("sync", "-f", directory.toString()), settings.work());
    Path file = directory.resolve("settle");
    write(file, 2 * bytes);
    // Before any of it is written back to the disk.
    Files.delete(file);
    // The file system below must write down what the first sync made the pool discard.
    floors.run(List.of("sync"), settings.work());
  }

  /**
   * Returns how long dd takes to write and sync a file of this size; then deletes the previous
   * file.
   */
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

  /** Writes in pieces as long as those of captures, because the length affects memory use too. */
  private double write(Path file, long bytes, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("dd", "if=/dev/zero", "of=" + file, "bs=4M", "iflag=count_bytes"));
    command.addAll(List.of("count=" + bytes, "status=none"));
    command.addAll(List.of(more));
    return floors.time(command, Map.of());
  }

  /** Deletes the files of {@link #write} and {@link #overlay}. */
  void forgetWritten(Path directory) throws IOException {
    Path from = directory.resolve(WRITTEN);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(from);
  }

  /** Deletes the file that {@link #dd} wrote last. */
  void forget(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve("dd"));
  }

  /** Returns the pauses of {@code migrate} to a file. No host may be connected to the machine. */
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

  /**
   * Returns the pauses of {@code savevm} on a machine like this one, with a qcow2 copy of its disk.
   */
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

  /**
   * Writes the stream that QEMU loads: RAM blocks, then the device sections without their header.
   */
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

  /** Returns the path of a snapshot's memory image. */
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
