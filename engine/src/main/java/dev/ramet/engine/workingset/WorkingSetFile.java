// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.workingset;

import dev.ramet.files.JsonFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the file that stores a working set in a snapshot's directory. The file is
 * replaced atomically but not synced: after a power loss it may be missing or damaged, which
 * reading detects.
 *
 * <p>The format is big-endian: eight bytes of magic, the format number, the snapshot's id, the
 * image's size, whether the set is complete, and the number of ranges; for each range the number of
 * pages since the end of the previous one and its own number of pages, each seven bits per byte
 * with the highest bit set in all bytes but the last; then a CRC-32C of everything before it.
 */
public final class WorkingSetFile {
  /** The file's name in a snapshot's directory. */
  public static final String NAME = "working-set";

  private static final System.Logger LOG = System.getLogger(WorkingSetFile.class.getName());
  private static final byte[] MARK = {'r', 'a', 'm', 'e', 't', 'w', 's', '\n'};
  private static final int FORMAT = 1;

  /** More than the largest set can take; a larger file is rejected without reading it. */
  private static final long MAX_FILE_BYTES = 1 << 20;

  private static final int MAX_VARINT_SHIFT = 56;

  private WorkingSetFile() {}

  /**
   * Reads the working set of a snapshot.
   *
   * @param directory the snapshot's directory
   * @param imageBytes the size of its memory image
   * @return the working set, or null when there is none
   * @throws IOException when the file is damaged, or belongs to another format or image; it is then
   *     useless
   */
  public static @Nullable WorkingSet read(Path directory, long imageBytes) throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + " is not a regular file");
    }
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new IOException(file + " is too large to be a working set");
      }
      return decode(Files.readAllBytes(file), imageBytes);
    } catch (NoSuchFileException replaced) {
      return null;
    }
  }

  /** Writes the working set into a snapshot's directory, replacing any earlier one. */
  public static void write(Path directory, WorkingSet set) throws IOException {
    Path fresh = directory.resolve(JsonFile.unfinished(NAME));
    try {
      Files.write(fresh, encode(set));
      Files.move(fresh, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(fresh);
      throw e;
    }
  }

  /**
   * Gives a new capture the working set of the image its machine was restored from, until the
   * capture has one of its own. Most pages that machines use early belong to the kernel and the
   * agent, and these do not move.
   *
   * @param from the snapshot's directory
   * @param to the capture's directory, which has no working set yet
   */
  public static void inherit(Path from, Path to) {
    try {
      // A set is replaced but never modified, so two snapshots can share one file.
      Files.createLink(to.resolve(NAME), from.resolve(NAME));
    } catch (IOException e) {
      LOG.log(System.Logger.Level.TRACE, "no working set to inherit", e);
    }
  }

  static byte[] encode(WorkingSet set) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(MARK);
    out.writeInt(FORMAT);
    out.writeUTF(set.snapshotId());
    out.writeLong(set.imageBytes());
    out.writeBoolean(set.whole());
    out.writeInt(set.ranges().size());
    long end = 0;
    for (WorkingSet.Range range : set.ranges()) {
      writeNumber(out, (range.offset() - end) / WorkingSet.PAGE);
      writeNumber(out, range.lengthBytes() / WorkingSet.PAGE);
      end = range.end();
    }
    out.writeInt(checksum(bytes.toByteArray(), bytes.size()));
    return bytes.toByteArray();
  }

  static WorkingSet decode(byte[] bytes, long imageBytes) throws IOException {
    int length = bytes.length - Integer.BYTES;
    if (length < MARK.length || !ByteBuffer.wrap(bytes, 0, MARK.length).equals(magic())) {
      throw new IOException("not a working set");
    }
    if (ByteBuffer.wrap(bytes).getInt(length) != checksum(bytes, length)) {
      throw new IOException("its checksum differs");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, length));
    in.skipNBytes(MARK.length);
    int format = in.readInt();
    if (format != FORMAT) {
      throw new IOException("its format is " + format + ", not " + FORMAT);
    }
    String snapshotId = in.readUTF();
    long size = in.readLong();
    if (size != imageBytes) {
      throw new IOException("it is of an image of " + size + " bytes, not " + imageBytes);
    }
    boolean whole = in.readBoolean();
    List<WorkingSet.Range> ranges = readRanges(in, imageBytes);
    if (in.read() >= 0) {
      throw new IOException("something follows its ranges");
    }
    return new WorkingSet(snapshotId, size, whole, ranges);
  }

  private static List<WorkingSet.Range> readRanges(DataInputStream in, long imageBytes)
      throws IOException {
    int count = in.readInt();
    long imagePages = imageBytes / WorkingSet.PAGE;
    long leftPages = WorkingSet.mostBytes(imageBytes) / WorkingSet.PAGE;
    List<WorkingSet.Range> ranges = new ArrayList<>();
    long end = 0;
    for (int i = 0; i < count; i++) {
      long gap = readNumber(in);
      long pages = readNumber(in);
      if (gap > imagePages - end || pages == 0 || pages > imagePages - end - gap) {
        throw new IOException("a range lies outside of the image");
      }
      leftPages -= pages;
      if (leftPages < 0) {
        throw new IOException("it is larger than any working set of such an image");
      }
      ranges.add(new WorkingSet.Range((end + gap) * WorkingSet.PAGE, pages * WorkingSet.PAGE));
      end += gap + pages;
    }
    return ranges;
  }

  private static ByteBuffer magic() {
    return ByteBuffer.wrap(MARK);
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static void writeNumber(DataOutputStream out, long number) throws IOException {
    long rest = number;
    while (rest >= 0x80) {
      out.writeByte((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }

  private static long readNumber(DataInputStream in) throws IOException {
    long number = 0;
    for (int shift = 0; shift < MAX_VARINT_SHIFT; shift += 7) {
      int next = in.readUnsignedByte();
      number |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return number;
      }
    }
    throw new IOException("a number is too long");
  }
}
