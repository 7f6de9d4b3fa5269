// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The types and members that a class file refers to, from its constant pool (JVMS 4.4). Immutable.
 *
 * @param types internal names of types, for example {@code java/lang/String}; arrays as descriptors
 * @param members the fields and methods
 */
record ConstantPool(List<String> types, List<Member> members) {
  private static final int MAGIC = 0xcafebabe;
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;

  /** The sizes of the contents of the kinds of entries in bytes, by tag; 0 for unknown kinds. */
  private static final int[] SIZES = {
    0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2
  };

  /**
   * A field or method.
   *
   * @param owner internal name of the type it is looked up in
   * @param name its name
   * @param descriptor its type
   */
  record Member(String owner, String name, String descriptor) {}

  /**
   * An entry.
   *
   * @param tag its kind
   * @param first its first index, or 0
   * @param second its second index, or 0
   * @param text its text, or empty
   */
  private record Entry(int tag, int first, int second, String text) {}

  /**
   * Reads the constant pool of a class file.
   *
   * @throws IOException if it is not a class file or cannot be read
   */
  static ConstantPool read(InputStream classFile) throws IOException {
    DataInputStream in = new DataInputStream(classFile);
    if (in.readInt() != MAGIC) {
      throw new IOException("not a class file");
    }
    in.readInt(); // the version
    int count = in.readUnsignedShort();
    @Nullable Entry[] entries = new @Nullable Entry[count];
    for (int i = 1; i < count; i++) {
      Entry entry = entry(in);
      entries[i] = entry;
      if (entry.tag() == LONG || entry.tag() == DOUBLE) {
        i++; // They take two places.
      }
    }
    List<String> types = new ArrayList<>();
    List<Member> members = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry == null) {
        continue;
      }
      switch (entry.tag()) {
        case CLASS -> types.add(textAt(entries, entry.first()));
        case FIELD, METHOD, INTERFACE_METHOD -> {
          String owner = textAt(entries, entryAt(entries, entry.first(), CLASS).first());
          Entry named = entryAt(entries, entry.second(), NAME_AND_TYPE);
          members.add(
              new Member(owner, textAt(entries, named.first()), textAt(entries, named.second())));
        }
        default -> {
          // refers to no type of another module by itself
        }
      }
    }
    return new ConstantPool(List.copyOf(types), List.copyOf(members));
  }

  private static Entry entry(DataInputStream in) throws IOException {
    int tag = in.readUnsignedByte();
    if (tag == UTF8) {
      return new Entry(tag, 0, 0, in.readUTF());
    }
    int size = tag < SIZES.length ? SIZES[tag] : 0;
    if (size == 0) {
      throw new IOException("unknown constant " + tag);
    }
    boolean pair = tag >= FIELD && tag <= NAME_AND_TYPE;
    int first = tag == CLASS || pair ? in.readUnsignedShort() : 0;
    int second = pair ? in.readUnsignedShort() : 0;
    if (tag != CLASS && !pair) {
      in.readFully(new byte[size]);
    }
    return new Entry(tag, first, second, "");
  }

  private static String textAt(@Nullable Entry[] entries, int index) throws IOException {
    return entryAt(entries, index, UTF8).text();
  }

  private static Entry entryAt(@Nullable Entry[] entries, int index, int tag) throws IOException {
    Entry entry = index < entries.length ? entries[index] : null;
    if (entry == null || entry.tag() != tag) {
      throw new IOException("constant " + index + " is not of kind " + tag);
    }
    return entry;
  }
}
