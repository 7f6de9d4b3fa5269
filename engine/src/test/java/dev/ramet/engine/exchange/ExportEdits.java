// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.exchange;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Tampers with the record and the files of an export. */
final class ExportEdits {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ExportEdits() {}

  /** Changes the record. */
  static void record(Path export, Consumer<ObjectNode> change) throws IOException {
    rewrite(export.resolve(ExportRecord.FILE), change);
  }

  /** Changes a JSON file. */
  static void rewrite(Path file, Consumer<ObjectNode> change) throws IOException {
    ObjectNode content = (ObjectNode) JSON.readTree(file.toFile());
    change.accept(content);
    JSON.writeValue(file.toFile(), content);
  }

  /** Returns the entry of a file in a list of the record. */
  static ObjectNode item(ObjectNode record, String list, String path) {
    for (var item : record.withArray(list)) {
      if (item.path("path").asText().equals(path)) {
        return (ObjectNode) item;
      }
    }
    throw new IllegalArgumentException(path);
  }

  /** Updates the record to match a file's current content. */
  static void fit(Path export, String path) throws IOException {
    Path file = export.resolve(path);
    String digest = sha256(file);
    long size = Files.size(file);
    record(export, r -> item(r, "files", path).put("sha256", digest).put("sizeBytes", size));
  }

  static String sha256(Path file) throws IOException {
    return HexFormat.of().formatHex(digest().digest(Files.readAllBytes(file)));
  }

  /** Computes the digest by blocks in the simplest way. */
  static String byBlocks(Path file) throws IOException {
    byte[] all = Files.readAllBytes(file);
    MessageDigest digest = digest();
    for (int at = 0; at < all.length; at += 1 << 16) {
      digest.update(
          digest().digest(Arrays.copyOfRange(all, at, Math.min(all.length, at + (1 << 16)))));
    }
    return "64k:" + HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a meter that never stops the work. */
  static ProgressMeter meter() {
    return new ProgressMeter(1L << 40, (done, total) -> true);
  }
}
