// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The changes that a backend acknowledged to a process that is killed in the middle of its work,
 * line by line in a file: whatever was written to a file before a kill is kept. Each name must be
 * changed by one thread alone, so that the last line about it says what must exist. Written by any
 * number of threads.
 */
final class Acknowledgements implements Closeable {
  private static final String BEGINS = "begins";
  private static final String MADE = "made";
  private static final String GONE = "gone";
  private static final String REFUSED = "refused";

  private final PrintStream lines;

  /** Creates a file. */
  Acknowledgements(Path file) throws IOException {
    lines = new PrintStream(new FileOutputStream(file.toFile()), true, StandardCharsets.UTF_8);
  }

  /** Records that a change of this node begins: from now on its state is unknown. */
  void begins(NodeId id) {
    lines.println(BEGINS + " " + id);
  }

  /** Records that the node exists. */
  void made(Node node) {
    lines.println(MADE + " " + node.id() + " " + node.kind());
  }

  /** Records that the node no longer exists. */
  void gone(NodeId id) {
    lines.println(GONE + " " + id);
  }

  /** Records that the change was refused: the node is as before. */
  void refused(NodeId id) {
    lines.println(REFUSED + " " + id);
  }

  @Override
  public void close() {
    lines.close();
  }

  /**
   * Compares the lines of a file with the existing nodes.
   *
   * @return how many nodes had to exist
   */
  static int demand(Path file, StorageBackend backend, String when) throws IOException {
    Map<String, Optional<Node.Kind>> acknowledged = new HashMap<>();
    Map<String, Boolean> inHand = new HashMap<>();
    for (String line : whole(Files.readString(file))) {
      String[] words = line.split(" ", -1);
      inHand.put(words[1], words[0].equals(BEGINS));
      switch (words[0]) {
        case MADE -> acknowledged.put(words[1], Optional.of(Node.Kind.valueOf(words[2])));
        case GONE -> acknowledged.put(words[1], Optional.empty());
        default -> acknowledged.putIfAbsent(words[1], Optional.empty());
      }
    }
    int demanded = 0;
    for (Map.Entry<String, Optional<Node.Kind>> entry : acknowledged.entrySet()) {
      if (inHand.getOrDefault(entry.getKey(), false)) {
        continue;
      }
      assertEquals(
          entry.getValue(),
          backend.find(NodeId.of(entry.getKey())).map(Node::kind),
          () -> "what was acknowledged before a kill must be there after it: " + entry + when);
      demanded += entry.getValue().isPresent() ? 1 : 0;
    }
    for (Node node : backend.list()) {
      assertTrue(
          acknowledged.containsKey(node.id().toString()),
          () -> "a node nobody made: " + node + when);
    }
    return demanded;
  }

  /** Returns the lines that were written completely. */
  private static List<String> whole(String text) {
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }
}
