// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import dev.ramet.certificates.Pem;
import dev.ramet.certificates.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Files with certificates, as an operator provides them. */
public final class TestFiles {
  private TestFiles() {}

  /**
   * Creates {@code NAME.crt} and {@code NAME.key} with a self-signed certificate.
   *
   * @param days period of validity
   * @param options options of keytool
   */
  public static void make(Path directory, String name, int days, String... options)
      throws IOException {
    Path work = Files.createTempDirectory(directory, "keytool");
    Keytool keytool = new Keytool(work);
    keytool.make("x", "CN=" + name, Duration.ofDays(days), options);
    TlsIdentity made = keytool.get("x");
    Files.writeString(directory.resolve(name + ".crt"), Pem.encode(made.chain().get(0)));
    Files.writeString(directory.resolve(name + ".key"), Pem.encode(made.key()));
    Files.delete(work.resolve("store"));
    Files.delete(work);
  }
}
