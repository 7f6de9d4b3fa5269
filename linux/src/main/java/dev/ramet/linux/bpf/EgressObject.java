// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.bpf;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.bpf.BpfObject.MapForm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The object file of the egress filter, which clang made of {@code egress.bpf.c}. */
final class EgressObject {
  private static final String NAME = "egress.bpf.o";
  private static final int ENOEXEC = 8;
  private static final BpfObject OBJECT = read();

  private EgressObject() {}

  private static BpfObject read() {
    try (InputStream file = EgressObject.class.getResourceAsStream(NAME)) {
      if (file == null) {
        throw new IllegalStateException("the module lacks " + NAME);
      }
      return BpfObject.read(file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static BpfObject get() {
    return OBJECT;
  }

  /**
   * Makes one of its maps.
   *
   * @param name the map's name in the object
   * @param inner a map of the form of those that this one holds; null if it holds none
   * @throws LinuxException ENOEXEC on a big-endian machine, for which the object was not made
   */
  static BpfMap create(String name, @Nullable BpfMap inner) throws LinuxException {
    return create(name, OBJECT.map(name), inner);
  }

  /** Makes one of its maps with room for another number of entries. */
  static BpfMap create(String name, int entries) throws LinuxException {
    return create(name, OBJECT.map(name).withEntries(entries), null);
  }

  private static BpfMap create(String name, MapForm form, @Nullable BpfMap inner)
      throws LinuxException {
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new LinuxException("bpf BPF_MAP_CREATE", ENOEXEC, NAME + ", which is little-endian");
    }
    return BpfMap.create(name, form, inner);
  }

  /** Words in the order of the programs. */
  static byte[] encodeWords(int... words) {
    ByteBuffer bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
    bytes.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(words);
    return bytes.array();
  }
}
