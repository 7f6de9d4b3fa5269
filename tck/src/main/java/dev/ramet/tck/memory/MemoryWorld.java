// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.memory;

import static dev.ramet.tck.memory.TrackedProcess.PAGE;

import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryFeature;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.memory.MemoryRegion;
import dev.ramet.spi.memory.MemoryTracker;
import dev.ramet.tck.support.ChangedPages;
import dev.ramet.tck.support.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A mode under test, a process with memory, and what that memory must hold. The memory is a private
 * mapping of an image, with page 0 aligned to a huge page. Every change goes through a method of
 * this class, which also updates the expectation, so that no check has to read the memory, which
 * would map its absent pages.
 */
public final class MemoryWorld implements AutoCloseable {
  /** Four huge pages. */
  static final int PAGES = 2048;

  static final int HUGE = 512;

  /** The first page of a hole in the image file, and the number of pages in it. */
  public static final int HOLE = 100;

  public static final int HOLE_PAGES = 40;
  static final long BYTES = (long) PAGES * PAGE;

  /** From linux/mman.h. */
  static final int DONTNEED = 4;

  static final int FREE = 8;
  static final int HUGEPAGE = 14;
  static final int NOHUGEPAGE = 15;
  static final int PAGEOUT = 21;
  static final int COLLAPSE = 25;

  final Path directory;
  final TrackedProcess process;
  private final ChangedPages log;
  final MemoryMode mode;
  final byte[] image = WorldImage.content();
  final byte[] expected;

  private final MemoryModeProvider provider;
  private final boolean ownsMode;
  private final MemoryFacts facts;
  private final boolean[] anonymous = new boolean[PAGES];
  private final String[] story = new String[PAGES];
  private boolean discards = true;

  public MemoryWorld(MemoryModeProvider provider, Path directory) {
    this(provider, directory, null);
  }

  private MemoryWorld(MemoryModeProvider provider, Path directory, @Nullable MemoryMode shared) {
    this.provider = provider;
    this.directory = directory;
    this.ownsMode = shared == null;
    ProbeResult probe = provider.probe(context());
    if (!(probe instanceof ProbeResult.Usable usable)
        || !(usable.facts() instanceof MemoryFacts stated)) {
      Requirement.ofKernel(provider.id(), false, "the probe found " + probe);
      throw new AssertionError();
    }
    facts = stated;
    expected = image.clone();
    Arrays.fill(story, "not touched since the restore");
    Path file = WorldImage.write(image, directory.resolve("image"));
    mode = shared == null ? provider.open(context()) : shared;
    boolean started = false;
    try {
      process = new TrackedProcess(file, BYTES);
      log = new ChangedPages(process.pid(), process::address);
      started = true;
    } finally {
      if (!started && ownsMode) {
        mode.close();
      }
    }
  }

  /** Creates another process for the same opened mode. */
  MemoryWorld another(Path elsewhere) {
    return new MemoryWorld(provider, elsewhere, mode);
  }

  ProbeContext context() {
    return new ProbeContext(directory);
  }

  MemoryModeProvider provider() {
    return provider;
  }

  /** Declares from now on that the process discards nothing, and tells trackers so. */
  public MemoryWorld withoutDiscards() {
    discards = false;
    return this;
  }

  private void discarding() {
    if (!discards) {
      throw new IllegalStateException("it was promised that nothing is discarded");
    }
  }

  /** Returns whether the mode needs the log of a hypervisor. */
  boolean logs() {
    return facts.needs().contains(Access.DIRTY_LOG);
  }

  boolean states(MemoryFeature feature) {
    return facts.features().contains(feature);
  }

  /** Returns the memory as the process has it mapped now. */
  GuestMemory memory() {
    GuestMemory memory = new GuestMemory(process.pid(), BYTES, process.regions(BYTES), discards);
    return logs() ? memory.with(log) : memory;
  }

  /** Returns all of the memory as one region of a kind, whatever it really is. */
  GuestMemory memoryAs(MemoryRegion.Kind kind) {
    return new GuestMemory(
        process.pid(), BYTES, List.of(new MemoryRegion(0, process.address(), BYTES, kind)));
  }

  /** Begins to track. */
  public Captures captures() {
    return captures(mode.attach(memory()));
  }

  Captures captures(MemoryTracker tracker) {
    return new Captures(this, tracker);
  }

  void fill(int page, int count, int value) {
    process.does("fill", page, count, value);
    expect(page, count, value, "written by the process");
  }

  /** Changes one byte of each page. */
  void poke(int page, int count, int offset) {
    process.does("poke", page, count, offset);
    for (int i = page; i < page + count; i++) {
      expected[i * PAGE + offset] ^= 0x55;
    }
    tell(page, count, "one byte written by the process");
  }

  /** Reads a byte of each page, which maps absent pages. */
  void look(int page, int count) {
    process.does("read", page, count);
    for (int i = page; i < page + count; i++) {
      story[i] += ", then read";
    }
  }

  /** Returns pages to the kernel: they hold the image's content again, or zeros. */
  void discard(int page, int count) {
    discarding();
    process.does("advise", page, count, DONTNEED);
    for (int i = page; i < page + count; i++) {
      if (anonymous[i]) {
        Arrays.fill(expected, i * PAGE, (i + 1) * PAGE, (byte) 0);
      } else {
        System.arraycopy(image, i * PAGE, expected, i * PAGE, PAGE);
      }
    }
    tell(page, count, "discarded (MADV_DONTNEED)");
  }

  /** Gives the kernel advice that changes no content. */
  int advise(int page, int count, int advice) {
    return process.tries("advise", page, count, advice);
  }

  /** Maps new anonymous memory over a part, as a hypervisor does to discard memory. */
  void replaceByAnonymous(int page, int count) {
    discarding();
    process.does("anonymous", page, count);
    Arrays.fill(anonymous, page, page + count, true);
    expect(page, count, 0, "replaced by anonymous memory");
  }

  /** Maps a part of the image again. */
  void replaceByImage(int page, int count) {
    discarding();
    process.does("image", page, count);
    Arrays.fill(anonymous, page, page + count, false);
    System.arraycopy(image, page * PAGE, expected, page * PAGE, count * PAGE);
    tell(page, count, "mapped anew");
  }

  /**
   * Makes the kernel write a file's content to memory, through its cache or directly from the disk.
   */
  void load(int page, int count, boolean direct) {
    byte[] content = new byte[count * PAGE];
    new Random(page).nextBytes(content);
    Path file = directory.resolve("content");
    try {
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (direct) {
      int errno = process.tries("direct", file, page, count);
      Requirement.ofKernel("o-direct", errno == 0, "reading past the cache: errno " + errno);
    } else {
      process.does("load", file, page, count);
    }
    System.arraycopy(content, 0, expected, page * PAGE, content.length);
    tell(page, count, direct ? "read from a disk by DMA" : "written by the kernel");
  }

  /** Makes a child that shares the pages write to its own copies. */
  void writeInChild(int page, int count, int value) {
    process.does("fork", page, count, value);
  }

  /** Makes another process write to the memory with {@code process_vm_writev}. */
  void writeFromOutside(int page, int count, int value) {
    Path other = directory.resolve("image");
    try (TrackedProcess writer = new TrackedProcess(other, PAGE)) {
      String at = Long.toHexString(process.address() + (long) page * PAGE);
      writer.does("other", process.pid(), at, count, value);
    }
    expect(page, count, value, "written by another process with process_vm_writev");
  }

  /** Writes as a debugger does: through {@code /proc/<pid>/mem}. */
  void writeAsDebugger(int page, int value) {
    byte[] content = new byte[PAGE];
    Arrays.fill(content, (byte) value);
    process.write(process.address() + (long) page * PAGE, ByteBuffer.wrap(content));
    expect(page, 1, value, "written through /proc/<pid>/mem");
  }

  /** Returns a page's entry in the page table. */
  long entry(int page) {
    return process.entry(process.address() + (long) page * PAGE);
  }

  /** Takes the present content of the memory as expected, where the kernel may choose it. */
  void observe(int page, int count, String what) {
    process.read(
        process.address() + (long) page * PAGE,
        ByteBuffer.wrap(expected, page * PAGE, count * PAGE));
    tell(page, count, what);
  }

  /** Adds to the recorded history of some pages. */
  void note(int page, int count, String what) {
    for (int i = page; i < page + count; i++) {
      story[i] += ", " + what;
    }
  }

  private void expect(int page, int count, int value, String what) {
    Arrays.fill(expected, page * PAGE, (page + count) * PAGE, (byte) value);
    tell(page, count, what);
  }

  private void tell(int page, int count, String what) {
    log.written(page, count);
    Arrays.fill(story, page, page + count, what);
  }

  /** Returns the last operation on a page. */
  String story(int page) {
    return (anonymous[page] ? "anonymous memory, " : "image, ") + story[page];
  }

  @Override
  public void close() {
    process.close();
    if (ownsMode) {
      mode.close();
    }
  }
}
