// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object file with BPF programs and the definitions of their maps, as clang writes it (elf(5);
 * linux/Documentation/bpf/llvm_reloc.rst). Each program has a section of its own. The definitions
 * are in the section {@code maps}, one symbol each, and need no BTF. Immutable and thread-safe.
 */
final class BpfObject {
  private static final int ELF = 0x7f454c46;
  private static final int CLASS_64 = 2;
  private static final int LITTLE = 1;
  private static final int MACHINE_BPF = 247;

  // Offsets in the file's header, and sizes of the records that it leads to.
  private static final int MACHINE_AT = 18;
  private static final int SECTIONS_AT = 40;
  private static final int SECTION_COUNT_AT = 60;
  private static final int SECTION_NAMES_AT = 62;
  private static final int SECTION_BYTES = 64;
  private static final int SYMBOL_BYTES = 24;
  private static final int RELOCATION_BYTES = 16;

  private static final int SYMBOL_TABLE = 2;
  private static final int RELOCATIONS_WITH_ADDENDS = 4;
  private static final int RELOCATIONS = 9;
  private static final int R_BPF_64_64 = 1;
  private static final int LOAD_64 = 0x18; // BPF_LD | BPF_IMM | BPF_DW
  private static final int BY_DESCRIPTOR = 1 << 4; // BPF_PSEUDO_MAP_FD as the source register
  private static final String MAPS = "maps";
  private static final String LICENSE = "license";

  /**
   * The definition of a map.
   *
   * @param type its number in {@code enum bpf_map_type}
   * @param entries how many the map holds, unless the loader says otherwise
   * @param flags {@code BPF_F_} bits
   */
  record MapForm(int type, int keyBytes, int valueBytes, int entries, int flags) {
    static final int BYTES = 20;

    /** The same with room for another number of entries. */
    MapForm withEntries(int number) {
      return new MapForm(type, keyBytes, valueBytes, number, flags);
    }
  }

  /**
   * A program.
   *
   * @param section where its instructions are
   * @param maps the offsets of the instructions that take a map, with the map's name
   */
  private record Code(Section section, Map<Integer, String> maps) {}

  private record Section(String name, int type, int link, int info, int offset, int length) {}

  private record Symbol(String name, int section, int value) {}

  private final ByteBuffer file;
  private final List<Section> sections = new ArrayList<>();
  private final List<Symbol> symbols = new ArrayList<>();
  private final Map<String, MapForm> maps = new HashMap<>();
  private final Map<String, Code> programs = new HashMap<>();

  private BpfObject(byte[] bytes) {
    file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads an object file.
   *
   * @throws IllegalArgumentException if it is not a BPF object in little-endian order, or needs a
   *     relocation other than that of a map
   */
  static BpfObject read(byte[] bytes) {
    BpfObject object = new BpfObject(bytes);
    try {
      object.readSections();
      object.readSymbols();
      object.readMaps();
      object.readPrograms();
      return object;
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("a truncated BPF object", e);
    }
  }

  private void readSections() {
    if (Integer.reverseBytes(file.getInt(0)) != ELF
        || file.get(4) != CLASS_64
        || file.get(5) != LITTLE
        || file.getShort(MACHINE_AT) != MACHINE_BPF) {
      throw new IllegalArgumentException("not a BPF object in little-endian order");
    }
    int first = Math.toIntExact(file.getLong(SECTIONS_AT));
    int names = sectionAt(first, file.getShort(SECTION_NAMES_AT), 0).offset();
    for (int i = 0; i < file.getShort(SECTION_COUNT_AT); i++) {
      sections.add(sectionAt(first, i, names));
    }
  }

  private Section sectionAt(int first, int index, int names) {
    int at = first + index * SECTION_BYTES;
    return new Section(
        names == 0 ? "" : readString(names + file.getInt(at)),
        file.getInt(at + 4),
        file.getInt(at + 40),
        file.getInt(at + 44),
        Math.toIntExact(file.getLong(at + 24)),
        Math.toIntExact(file.getLong(at + 32)));
  }

  private String readString(int at) {
    int end = at;
    while (file.get(end) != 0) {
      end++;
    }
    return new String(file.array(), at, end - at, StandardCharsets.US_ASCII);
  }

  private void readSymbols() {
    for (Section table : sections) {
      if (table.type() == SYMBOL_TABLE) {
        int names = sections.get(table.link()).offset();
        for (int at = 0; at < table.length(); at += SYMBOL_BYTES) {
          int from = table.offset() + at;
          symbols.add(
              new Symbol(
                  readString(names + file.getInt(from)),
                  file.getShort(from + 6),
                  Math.toIntExact(file.getLong(from + 8))));
        }
      }
    }
  }

  private void readMaps() {
    for (Symbol symbol : symbols) {
      Section section = sectionOf(symbol);
      if (section != null && section.name().equals(MAPS) && !symbol.name().isEmpty()) {
        ByteBuffer from = file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        from.position(section.offset() + symbol.value());
        maps.put(
            symbol.name(),
            new MapForm(from.getInt(), from.getInt(), from.getInt(), from.getInt(), from.getInt()));
      }
    }
  }

  /** Returns null for one that is in no section, such as the source file's name. */
  private @Nullable Section sectionOf(Symbol symbol) {
    boolean inSection = symbol.section() > 0 && symbol.section() < sections.size();
    return inSection ? sections.get(symbol.section()) : null;
  }

  private void readPrograms() {
    for (Section relocations : sections) {
      if (relocations.type() == RELOCATIONS_WITH_ADDENDS) {
        throw new IllegalArgumentException("relocations with addends: " + relocations.name());
      }
      if (relocations.type() == RELOCATIONS) {
        Section code = sections.get(relocations.info());
        programs.put(code.name(), new Code(code, readUses(relocations, code)));
      }
    }
  }

  private Map<Integer, String> readUses(Section relocations, Section code) {
    Map<Integer, String> uses = new HashMap<>();
    for (int at = 0; at < relocations.length(); at += RELOCATION_BYTES) {
      int offset = Math.toIntExact(file.getLong(relocations.offset() + at));
      long info = file.getLong(relocations.offset() + at + Long.BYTES);
      Symbol symbol = symbols.get((int) (info >>> Integer.SIZE));
      if ((int) info != R_BPF_64_64
          || !maps.containsKey(symbol.name())
          || file.get(code.offset() + offset) != LOAD_64) {
        throw new IllegalArgumentException(
            "a relocation that is not of a map: " + relocations.name() + " " + symbol.name());
      }
      uses.put(offset, symbol.name());
    }
    return uses;
  }

  private byte[] bytes(Section section) {
    byte[] bytes = new byte[section.length()];
    file.duplicate().position(section.offset()).get(bytes);
    return bytes;
  }

  /** Returns the definition of a map. */
  MapForm map(String name) {
    MapForm found = maps.get(name);
    if (found == null) {
      throw new IllegalArgumentException("the BPF object has no map " + name);
    }
    return found;
  }

  /**
   * Returns a program's instructions, with the maps in place.
   *
   * @param section the program's section
   * @param open the maps, by name; they must stay open until the program is loaded
   */
  byte[] link(String section, Map<String, BpfMap> open) {
    Code code = programs.get(section);
    if (code == null) {
      throw new IllegalArgumentException("the BPF object has no program " + section);
    }
    byte[] linked = bytes(code.section());
    ByteBuffer view = ByteBuffer.wrap(linked).order(ByteOrder.LITTLE_ENDIAN);
    code.maps()
        .forEach(
            (offset, name) -> {
              BpfMap map = open.get(name);
              if (map == null) {
                throw new IllegalArgumentException("the BPF program needs the map " + name);
              }
              // The register's byte keeps the target and says that the number is a map's.
              view.put(offset + 1, (byte) ((view.get(offset + 1) & 0xf) | BY_DESCRIPTOR));
              view.putInt(offset + 4, map.number());
            });
    return linked;
  }

  /** Returns the license, which the kernel asks for. */
  String license() {
    for (Section section : sections) {
      if (section.name().equals(LICENSE)) {
        return readString(section.offset());
      }
    }
    throw new IllegalArgumentException("the BPF object has no license");
  }
}
