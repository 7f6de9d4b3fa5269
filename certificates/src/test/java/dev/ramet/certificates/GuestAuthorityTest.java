// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The authority of a data root and its file. */
class GuestAuthorityTest {
  @TempDir private Path root;

  @Test
  void certificatesAreMadeOnceAndTheAuthorityStays() throws Exception {
    GuestAuthority authority = new GuestAuthority(root);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<SSLContext>> made = new ArrayList<>();
      CountDownLatch begin = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        made.add(
            threads.submit(
                () -> {
                  begin.await();
                  return authority.context("many.test");
                }));
      }
      begin.countDown();
      for (Future<SSLContext> one : made) {
        assertSame(made.get(0).get(), one.get());
      }
    } finally {
      threads.shutdownNow();
    }
    Path file = root.resolve(GuestAuthority.NAME);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(authority.pem(), new GuestAuthority(root).pem());
    Files.writeString(file, "{}");
    assertEquals(
        ErrorCode.CORRUPT,
        assertThrows(RametException.class, () -> new GuestAuthority(root).pem()).code());
    assertEquals("{}", Files.readString(file));
  }
}
