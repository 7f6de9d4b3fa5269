// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** Makes container images in an OCI layout with a single layer, from a directory's files. */
final class OciImage {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "application/vnd.oci.image.";

  private OciImage() {}

  /**
   * Makes a layout.
   *
   * @param layout the directory to make it in; created
   * @param root the directory that becomes the image's root
   * @param config the image's own settings, named as in the specification
   */
  static void make(Path layout, Path root, Map<String, ?> config) throws Exception {
    Files.createDirectories(layout.resolve("blobs/sha256"));
    byte[] plain =
        output(
            "tar", "-c", "--owner=0", "--group=0", "--numeric-owner", "-C", root.toString(), ".");
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(plain);
    }
    Map<String, Object> layer = blob(layout, "layer.v1.tar+gzip", compressed.toByteArray());
    Map<String, Object> settings =
        blob(
            layout,
            "config.v1+json",
            JSON.writeValueAsBytes(
                Map.of(
                    "os",
                    "linux",
                    "architecture",
                    "amd64",
                    "config",
                    config,
                    "rootfs",
                    Map.of("type", "layers", "diff_ids", List.of("sha256:" + sum(plain))))));
    Map<String, Object> manifest =
        blob(
            layout,
            "manifest.v1+json",
            JSON.writeValueAsBytes(
                Map.of("schemaVersion", 2, "config", settings, "layers", List.of(layer))));
    Files.write(
        layout.resolve("index.json"),
        JSON.writeValueAsBytes(Map.of("schemaVersion", 2, "manifests", List.of(manifest))));
    Files.writeString(layout.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
  }

  private static Map<String, Object> blob(Path layout, String type, byte[] content)
      throws Exception {
    Files.write(layout.resolve("blobs/sha256").resolve(sum(content)), content);
    return Map.of(
        "mediaType", TYPE + type, "digest", "sha256:" + sum(content), "size", content.length);
  }

  private static String sum(byte[] content) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private static byte[] output(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    byte[] output = process.getInputStream().readAllBytes();
    assertEquals(0, process.waitFor(), command[0]);
    return output;
  }
}
