// SPDX-License-Identifier: Apache-2.0
package com.example.isolation;

import com.google.gson.Gson;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Stores nothing: reports in its id and to the doctor which version of Gson it runs with. */
public final class LibraryProvider implements StorageBackendProvider {
  /** Does nothing. */
  public LibraryProvider() {}

  @Override
  public String id() {
    return "gson-" + version().replace('.', '-');
  }

  @Override
  public StorageFacts atBest() {
    return StorageFacts.copying(Set.of());
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    String json = new Gson().toJson(Map.of("gson", version()));
    return new ProbeResult.Unusable(
        "stores nothing", "runs with " + json, "nothing is to be done: it is there to be seen");
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    throw new RametException(ErrorCode.UNSUPPORTED, id() + " stores nothing");
  }

  /** Returns the version that the loaded library reports. */
  private static String version() {
    try (InputStream in =
        Gson.class.getResourceAsStream("/META-INF/maven/com.google.code.gson/gson/pom.properties")) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
