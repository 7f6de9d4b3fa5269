// SPDX-License-Identifier: Apache-2.0
package dev.ramet.hypervisors.qemu.program;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a migration stream that carries RAM blocks (migration/savevm.c, migration/ram.c),
 * rewritten so that any QEMU started with {@code -incoming} reads it without capabilities.
 *
 * <p>A device state saved by {@code xen-save-devices-state} has no RAM at all. It does not need
 * main memory, which is a file. But the firmware, option ROMs and ACPI tables are RAM blocks too;
 * without them the guest runs but cannot reboot. They are saved once per machine with {@code
 * x-ignore-shared}, which leaves shared main memory out. In such a stream the entry of each block
 * also carries the block's address, which a reader without the capability cannot parse. This class
 * drops the address, so that a restore needs no command before it loads. It also drops every page
 * of main memory: since 8.1 QEMU leaves out only named files, not a memfd, and the zeros of main
 * memory before the first instruction would overwrite the image.
 */
public final class RamBlocks {
  /** The length of the header, "QEVM" and version 3, with which both streams start. */
  public static final int HEADER_BYTES = 8;

  private static final long HEADER = 0x5145_564d_0000_0003L;

  private static final int SECTION_START = 1;
  private static final int SECTION_PART = 2;
  private static final int SECTION_END = 3;
  private static final int SECTION_FULL = 4;

  /**
   * Since QEMU 10.0 a command tells the reader that the source has stopped; a restore can ignore
   * it.
   */
  private static final int COMMAND = 8;

  private static final int SECTION_FOOTER = 0x7e;

  private static final long FLAGS = 0xfff;
  private static final int FLAG_ZERO = 0x02;
  private static final int FLAG_MEM_SIZE = 0x04;
  private static final int FLAG_PAGE = 0x08;
  private static final int FLAG_EOS = 0x10;
  private static final int FLAG_CONTINUE = 0x20;

  /** Since QEMU 8.0 a marker without content between rounds. */
  private static final int FLAG_MULTIFD_FLUSH = 0x200;

  private static final int PAGE_BYTES = 4096;

  private final byte[] bytes;
  private final List<String> names;

  private RamBlocks(byte[] bytes, List<String> names) {
    this.bytes = bytes;
    this.names = names;
  }

  /** Returns the stream from its header to the start of its first device section; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the names of the RAM blocks in the stream, in order. */
  List<String> names() {
    return names;
  }

  /** Thrown for a stream in a format this class does not know. */
  public static final class FormatException extends Exception {
    private static final long serialVersionUID = 1L;

    FormatException(String message) {
      super(message);
    }
  }

  /** Returns whether these are the first bytes of a stream that QEMU loads. */
  public static boolean isHeader(byte[] start) {
    return start.length >= HEADER_BYTES && ByteBuffer.wrap(start).getLong() == HEADER;
  }

  /** Parses a stream saved with {@code x-ignore-shared} and without a configuration section. */
  public static RamBlocks parse(byte[] stream) throws FormatException {
    if (!isHeader(stream)) {
      throw new FormatException("not a QEMU stream of version 3");
    }
    Parser parser = new Parser(stream);
    try {
      parser.run();
    } catch (java.nio.BufferUnderflowException | IllegalArgumentException e) {
      throw new FormatException("the stream ends inside its RAM section");
    }
    return new RamBlocks(parser.out.toByteArray(), List.copyOf(parser.names));
  }

  private static final class Parser {
    private final ByteBuffer in;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final List<String> names = new ArrayList<>();
    private int copiedTo;
    private String block = "";

    Parser(byte[] stream) {
      in = ByteBuffer.wrap(stream);
      in.position(HEADER_BYTES);
    }

    void run() throws FormatException {
      while (true) {
        int type = in.get() & 0xff;
        if (type == SECTION_FULL) {
          in.position(in.position() - 1);
          copyPending();
          return;
        }
        if (type == COMMAND) {
          in.position(in.position() - 1);
          copyPending();
          in.position(in.position() + 3);
          in.position(in.position() + 2 + in.getShort(in.position()));
          copiedTo = in.position();
        } else {
          section(type);
        }
      }
    }

    private void section(int type) throws FormatException {
      in.getInt();
      if (type == SECTION_START) {
        String owner = name();
        if (!owner.equals("ram")) {
          throw new FormatException("unexpected section of " + owner);
        }
        in.getLong(); // instance and version
      } else if (type != SECTION_PART && type != SECTION_END) {
        throw new FormatException("unexpected section type " + type);
      }
      records();
      if (in.get(in.position()) == SECTION_FOOTER) {
        in.position(in.position() + 5);
      }
    }

    private void records() throws FormatException {
      while (true) {
        long word = in.getLong();
        int flags = (int) (word & FLAGS);
        if ((flags & FLAG_MEM_SIZE) != 0) {
          blocks(word & ~FLAGS);
        } else if ((flags & FLAG_EOS) != 0) {
          return;
        } else if ((flags & (FLAG_PAGE | FLAG_ZERO)) != 0) {
          page(flags);
        } else if (flags != FLAG_MULTIFD_FLUSH) {
          throw new FormatException("unknown RAM record 0x" + Integer.toHexString(flags));
        }
      }
    }

    private void page(int flags) {
      int record = in.position() - Long.BYTES;
      if ((flags & FLAG_CONTINUE) == 0) {
        block = name();
      }
      int end = in.position() + ((flags & FLAG_ZERO) != 0 ? 1 : PAGE_BYTES);
      if (block.equals(CommandLine.RAM_ID)) {
        in.position(record);
        copyPending();
        copiedTo = end;
      }
      in.position(end);
    }

    private void blocks(long totalBytes) throws FormatException {
      long left = totalBytes;
      while (left > 0) {
        names.add(name());
        long length = in.getLong();
        if (length <= 0 || length > left) {
          throw new FormatException("RAM block of " + length + " bytes");
        }
        left -= length;
        copyPending();
        in.getLong(); // the address, there because of x-ignore-shared
        copiedTo = in.position();
      }
    }

    private String name() {
      byte[] text = new byte[in.get() & 0xff];
      in.get(text);
      return new String(text, StandardCharsets.UTF_8);
    }

    private void copyPending() {
      out.write(in.array(), copiedTo, in.position() - copiedTo);
      copiedTo = in.position();
    }
  }
}
