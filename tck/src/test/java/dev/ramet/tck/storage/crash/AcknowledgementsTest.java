// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.reference.ReferenceHarness;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that everything acknowledged to a killed process is required, and nothing else. */
class AcknowledgementsTest {
  private static final NodeId KEPT = NodeId.of("kept");
  private static final NodeId OTHER = NodeId.of("other");

  private final Path file;
  private final StorageBackend backend;

  AcknowledgementsTest(@TempDir Path directory) {
    file = directory.resolve("told");
    backend = new ReferenceHarness(directory.resolve("root")).open(step -> {});
  }

  private int demand() throws Exception {
    return Acknowledgements.demand(file, backend, "");
  }

  private void keep(Acknowledgements told) {
    told.begins(KEPT);
    told.made(backend.create(KEPT, 4096, Durability.RELAXED));
  }

  @Test
  void whatWasMadeMustBeThereAsWhatItWasMade() throws Exception {
    try (Acknowledgements told = new Acknowledgements(file)) {
      keep(told);
      assertEquals(1, demand());
      told.begins(KEPT);
      told.refused(KEPT);
      assertEquals(1, demand(), "what is refused changes nothing");
      backend.seal(KEPT, Durability.RELAXED);
      assertThrows(AssertionError.class, this::demand, "it is not what it was told to be");
      backend.delete(KEPT);
      assertThrows(AssertionError.class, this::demand, "it is lost");
    }
  }

  @Test
  void whatIsGoneMustBeGone() throws Exception {
    try (Acknowledgements told = new Acknowledgements(file)) {
      keep(told);
      told.begins(KEPT);
      told.gone(KEPT);
      assertThrows(AssertionError.class, this::demand, "it is back");
      backend.delete(KEPT);
      assertEquals(0, demand());
    }
  }

  @Test
  void ofWhatWasInHandNothingIsDemanded() throws Exception {
    try (Acknowledgements told = new Acknowledgements(file)) {
      keep(told);
      told.begins(OTHER);
      told.begins(KEPT);
      assertEquals(0, demand());
      backend.delete(KEPT);
      assertEquals(0, demand());
      backend.create(OTHER, 4096, Durability.RELAXED);
      assertEquals(0, demand());
    }
  }

  @Test
  void aNodeNobodyMadeIsNoticed() throws Exception {
    try (Acknowledgements told = new Acknowledgements(file)) {
      keep(told);
    }
    backend.create(OTHER, 4096, Durability.RELAXED);
    assertThrows(AssertionError.class, this::demand);
  }

  @Test
  void aLineThatWasCutOffSaysNothing() throws Exception {
    try (Acknowledgements told = new Acknowledgements(file)) {
      keep(told);
    }
    Files.writeString(file, Files.readString(file) + "gone kep");
    assertEquals(1, demand());
  }
}
