// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.http.ListenAddress;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that failures which operators can cause have a reason, a remedy and the right status. */
final class StartErrorsTest {
  private static void refused(ErrorCode code, String text, String address, int port) {
    RametException error =
        assertThrows(RametException.class, () -> ListenAddress.check(address, port));
    assertEquals(code, error.code());
    assertTrue(String.valueOf(error.getMessage()).contains(text), error.getMessage());
    assertNotNull(error.remedy());
  }

  @Test
  void theAddressIsCheckedFirst() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      refused(
          ErrorCode.CONFLICT,
          "cannot listen on 127.0.0.1:" + port + ": another program listens there",
          "127.0.0.1",
          port);
    }
    refused(ErrorCode.INVALID_ARGUMENT, "does not have the address", "192.0.2.1", 0);
    refused(ErrorCode.INVALID_ARGUMENT, "no such host name", "ramet.invalid", 0);
    ListenAddress.check("127.0.0.1", 0);
  }

  @Test
  void aFailureOfAFileNamesTheFile() {
    RametException error =
        StartErrors.translate(
            new IllegalStateException(
                "wrapped", new UncheckedIOException(new AccessDeniedException("/srv/x"))));
    assertNotNull(error);
    assertEquals("/srv/x: permission denied", error.getMessage());
    assertEquals(5, error.code().exitStatus());
    assertNull(StartErrors.translate(new IllegalStateException("a defect")));
  }

  @Test
  void aFileInThePlaceOfTheDataRootIsNamed(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    RametException error =
        assertThrows(RametException.class, () -> StartErrors.checkPlace(file.resolve("a/b")));
    assertTrue(String.valueOf(error.getMessage()).contains(file + " is not a directory"));
    StartErrors.checkPlace(directory.resolve("a/b"));
  }
}
