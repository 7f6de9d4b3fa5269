// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.engine.EngineConfig;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Standstill;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.testing.LoopFs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox whose guest writes and flushes files without end, on a file system of its own that a
 * test can fill. The guest notes each flushed file and its checksum in memory.
 */
final class FullStorageGround implements AutoCloseable {
  private static final long WAIT_NANOS = 120_000_000_000L;
  private static final long POLL_MILLIS = 50;
  private static final long FULL_BYTES = 5L << 20;

  /** Less than the 300 MB of files that the guest writes before it replaces the first one. */
  private static final long LITTLE_ROOM_BYTES = 128L << 20;

  private static final String WRITER =
      "mkdir -p /root/out; : > /dev/shm/flushed; setsid sh -c 'n=0; while true; do n=$((n + 1));"
          + " f=/root/out/$((n % 300)); head -c 1000000 /dev/urandom > $f.new && sync $f.new"
          + " && grep -v \" $f$\" /dev/shm/flushed > /dev/shm/next; mv /dev/shm/next /dev/shm/flushed;"
          + " mv $f.new $f && sync /root/out && sha256sum $f >> /dev/shm/flushed;"
          + " echo $n > /dev/shm/count; done' > /dev/null 2>&1 & echo $!";

  /** The kinds of storage that can become full. */
  enum Kind {
    /** XFS, whose copies share blocks. */
    REFLINK_XFS,
    /** Btrfs, whose copies share blocks. */
    BTRFS,
    /** ext4, whose copies are made byte by byte. */
    BYTE_COPY,
    /** A pool in a sparse image, on an ext4 that is filled around it. */
    POOL,
    /** Device-mapper snapshots whose stores are files of an ext4. */
    DM_SNAPSHOT
  }

  private final Path directory;
  private final LoopFs fs;
  private final Kind kind;
  private final Ground ground;
  private String id = "";
  private String writer = "";

  private FullStorageGround(Path directory, LoopFs fs, Kind kind, Ground ground) {
    this.directory = directory;
    this.fs = fs;
    this.kind = kind;
    this.ground = ground;
  }

  static FullStorageGround make(Kind kind) throws IOException {
    Path directory = Files.createTempDirectory("ramet-it-");
    LoopFs fs =
        switch (kind) {
          case REFLINK_XFS -> LoopFs.xfs(directory, 700L << 20);
          case BTRFS -> LoopFs.btrfs(directory, 1L << 30);
          case BYTE_COPY, DM_SNAPSHOT -> LoopFs.ext4(directory, 1L << 30);
          case POOL -> LoopFs.ext4(directory, 1400L << 20);
        };
    try {
      Path root = Files.createDirectory(fs.root().resolve("data"));
      Ground ground = Ground.make(root, kind == Kind.POOL ? 700L << 20 : 0, change(kind));
      return new FullStorageGround(directory, fs, kind, ground);
    } catch (IOException | RuntimeException | Error e) {
      fs.close();
      throw e;
    }
  }

  private static UnaryOperator<EngineConfig> change(Kind kind) {
    @Nullable String backend =
        switch (kind) {
          case REFLINK_XFS -> "reflink-xfs";
          case BTRFS -> "btrfs";
          case BYTE_COPY -> "byte-copy";
          case DM_SNAPSHOT -> "dm-snapshot";
          case POOL -> null;
        };
    return config -> backend == null ? config : config.with("ramet.storage-backend", backend);
  }

  Ground ground() {
    return ground;
  }

  String id() {
    return id;
  }

  Sandbox sandbox() {
    return ground.engine().sandboxes().get(id);
  }

  /** Creates the sandbox. */
  void create() {
    id = ground.create().id();
  }

  /**
   * Creates the sandbox. Around a pool, leaves less room than its writer will take: blocks that the
   * pool has already, the guest writes again without taking more.
   */
  void createInLittleRoom() throws IOException {
    create();
    if (kind == Kind.POOL) {
      fs.fill(fullBytes() + LITTLE_ROOM_BYTES);
    }
  }

  /** Starts the writer. */
  void startWriting() throws Exception {
    writer = ground.shell(id).run(WRITER);
    awaitWrites(2);
  }

  /** Fills the file system, so far that the guest's next writes do not fit. */
  void fill() throws IOException {
    fs.fill(fullBytes());
  }

  private long fullBytes() {
    return switch (kind) {
      case REFLINK_XFS, BTRFS, BYTE_COPY -> FULL_BYTES;
      // The host stops the guest while half of the reserve is left: a sixteenth, or a sixth.
      case POOL -> fs.root().toFile().getTotalSpace() / 64 * 3;
      case DM_SNAPSHOT -> fs.root().toFile().getTotalSpace() / 9;
    };
  }

  void unfill() throws IOException {
    fs.unfill();
  }

  Standstill awaitStandstill() throws InterruptedException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (sandbox().standstill() == null) {
      assertTrue(System.nanoTime() < end, "the guest is not stopped");
      Thread.sleep(POLL_MILLIS);
    }
    return Objects.requireNonNull(sandbox().standstill());
  }

  /** Waits until the state of a sandbox that runs has a detail. */
  String awaitDetail(String sandbox) throws InterruptedException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (ground.engine().sandboxes().get(sandbox).stateDetail() == null) {
      assertTrue(System.nanoTime() < end, "nothing is said about " + sandbox);
      Thread.sleep(POLL_MILLIS);
    }
    return String.valueOf(ground.engine().sandboxes().get(sandbox).stateDetail());
  }

  void awaitGoingOn() throws InterruptedException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (sandbox().standstill() != null) {
      assertTrue(System.nanoTime() < end, () -> "still stopped: " + sandbox().standstill());
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Waits until the guest has flushed this many more files. */
  void awaitWrites(int more) throws Exception {
    GuestShell shell = ground.shell(id);
    String count = "cat /dev/shm/count 2>/dev/null || echo 0";
    long last = Long.parseLong(shell.run(count)) + more;
    long end = System.nanoTime() + WAIT_NANOS;
    while (Long.parseLong(shell.run(count)) < last) {
      assertTrue(System.nanoTime() < end, "the guest does not write");
      Thread.sleep(POLL_MILLIS);
    }
  }

  /**
   * Checks, from the disk alone, that every flushed file is there, that the guest saw no error and
   * that its file system is clean.
   */
  void assertNothingLost() throws Exception {
    GuestShell shell = ground.shell(id);
    // The group: the shell and the program it waits for.
    shell.run("kill -9 -" + writer + "; sync; echo 3 > /proc/sys/vm/drop_caches");
    assertEquals("", shell.run("sha256sum -c /dev/shm/flushed 2>&1 | grep -v ': OK$' || true"));
    assertTrue(Integer.parseInt(shell.run("wc -l < /dev/shm/flushed")) > 0);
    assertEquals(
        "", shell.run("dmesg | grep -iE 'ext4.*error|i/o error|remounting|aborted' || true"));
    assertEquals("0", shell.run("cat /sys/fs/ext4/vda/errors_count"));
    if (kind != Kind.DM_SNAPSHOT) {
      assertFileSystemClean();
    }
  }

  /** Makes writes to the sandbox's disk fail, or work again, by a flag of its file. */
  void breakDisk(boolean broken) throws Exception {
    Path disk =
        Trees.below(ground.root().resolve("volumes")).stream()
            .filter(path -> path.toString().contains(id) && Files.isRegularFile(path))
            .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
            .orElseThrow();
    run(0, "chattr", broken ? "+i" : "-i", disk.toString());
  }

  private void assertFileSystemClean() throws Exception {
    String snapshot =
        ground.engine().snapshots().create(NewSnapshot.named(id, null).withoutMemory()).id();
    Path disk =
        Trees.below(ground.root().resolve("volumes")).stream()
            .filter(path -> path.toString().contains(snapshot) && Files.isRegularFile(path))
            .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
            .orElseThrow();
    Path copy = Files.createTempFile("ramet-it-", ".disk");
    try {
      run(0, "cp", "--sparse=always", disk.toString(), copy.toString());
      // 1: it has written something.
      run(1, "e2fsck", "-y", "-E", "journal_only", copy.toString());
      run(0, "e2fsck", "-fn", copy.toString());
    } finally {
      Files.delete(copy);
    }
  }

  /** Runs a program that must end with at most this status. */
  private static void run(int most, String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor() <= most, () -> String.join(" ", command) + ": " + out);
  }

  @Override
  public void close() throws IOException {
    fs.unfill();
    ground.close();
    fs.close();
    Trees.delete(directory);
  }
}
