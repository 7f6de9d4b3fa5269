// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.pages;

import static dev.ramet.engine.pages.Machine.PAGE;
import static dev.ramet.engine.pages.Machine.PID;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.memory.Baseline;
import dev.ramet.spi.memory.PageRanges;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.tck.reference.remote.RemoteHarness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests captures into images that are behind an NBD server. */
class NbdImageTest {
  private static final int PAGES = 700;
  private static final int BYTES = PAGES * PAGE;
  private static final NodeId IMAGE = NodeId.of("image");
  private static final NodeId BASE = NodeId.of("base");

  @TempDir private Path directory;
  private CaptureGround ground;
  private RemoteHarness remote;
  private StorageBackend storage;

  @BeforeEach
  void open() throws IOException {
    ground = new CaptureGround(directory);
    remote = new RemoteHarness(Files.createDirectory(directory.resolve("storage"))).start();
    storage = remote.provider().open(new ProbeContext(remote.root()));
  }

  @AfterEach
  void close() {
    storage.close();
    remote.close();
    ground.close();
  }

  private byte[] content(NodeId id) throws IOException {
    return remote.io().read(storage.attach(id), 0, BYTES);
  }

  private PagesWritten capture(NodeId image, Baseline baseline, PageRanges ranges) {
    try (PageCapture capture = ground.writer().open(storage.attach(image), baseline)) {
      capture.readWhilePaused(PID, ranges);
      return capture.finish();
    }
  }

  @Test
  void allOfTheMemory() throws Exception {
    storage.create(IMAGE, BYTES);
    try (Machine machine = new Machine(ground.base(PAGES), PAGES, 3)) {
      PagesWritten written = capture(IMAGE, Baseline.NONE, machine.whole());
      assertTrue(written.holeBytes() > 0, "pages of zeros are not sent");
      assertArrayEquals(machine.content(), content(IMAGE));
    }
  }

  /** Nothing of the base is here, and only the changed pages are sent. */
  @Test
  void whatChangedOverABaseThatIsAway() throws Exception {
    Path base = ground.base(PAGES);
    storage.importFrom(NodeId.of("imported"), base);
    storage.snapshot(NodeId.of("imported"), BASE, Durability.DURABLE);
    remote.remote().orElseThrow().forget(BASE);
    storage.fork(BASE, IMAGE, Durability.RELAXED);
    try (Machine machine = new Machine(base, PAGES, 5)) {
      PagesWritten written = capture(IMAGE, Baseline.RESTORE_IMAGE, machine.selected);
      assertEquals(machine.zeroBytes, written.holeBytes());
      storage.seal(IMAGE, Durability.DURABLE);
      assertArrayEquals(machine.content(), content(IMAGE));
      assertArrayEquals(Files.readAllBytes(base), content(BASE), "the base is as it was");
    }
  }

  /** A mapping that nobody has touched has no pages yet, as memory that is filled on fault. */
  @Test
  void pagesThatNobodyTouchedAreReadWithTheirContent() throws Exception {
    Path base = ground.base(PAGES);
    storage.create(IMAGE, BYTES);
    try (NativeBuffer untouched = NativeBuffer.mapPrivate(base, 0, BYTES)) {
      PageRanges all = new PageRanges.Builder().copy(0, untouched.address(), BYTES).build();
      capture(IMAGE, Baseline.NONE, all);
    }
    assertArrayEquals(Files.readAllBytes(base), content(IMAGE));
  }

  @Test
  void refusals() {
    storage.create(IMAGE, BYTES);
    storage.snapshot(IMAGE, BASE, Durability.DURABLE);
    refused(ErrorCode.CONFLICT, storage.attach(BASE));
    Path socket = remote.nbdSocket();
    // The server knows better than the attachment.
    refused(
        ErrorCode.CONFLICT,
        new Attachment.Socket(socket, Attachment.Protocol.NBD, BASE.value(), false));
    refused(
        ErrorCode.HOST_UNFIT,
        new Attachment.Socket(socket, Attachment.Protocol.NBD, "nothing", false));
    refused(
        ErrorCode.HOST_UNFIT,
        new Attachment.Socket(
            directory.resolve("nobody"), Attachment.Protocol.NBD, IMAGE.value(), false));
    RametException e =
        refused(
            ErrorCode.UNSUPPORTED,
            new Attachment.Socket(socket, Attachment.Protocol.VHOST_USER, "", false));
    assertNotNull(e.remedy());
  }

  private RametException refused(ErrorCode code, Attachment image) {
    RametException e =
        assertThrows(
            RametException.class, () -> ground.writer().open(image, Baseline.NONE).close());
    assertEquals(code, e.code(), e::getMessage);
    return e;
  }

  /** A server that has no room says so, and the snapshot is not made. */
  @Test
  void aFullServer() throws Exception {
    storage.create(IMAGE, BYTES);
    remote.host().orElseThrow().fill(0);
    try (Machine machine = new Machine(ground.base(PAGES), PAGES, 3)) {
      RametException e =
          assertThrows(RametException.class, () -> capture(IMAGE, Baseline.NONE, machine.whole()));
      assertEquals(ErrorCode.NO_SPACE, e.code(), e::getMessage);
    }
  }
}
