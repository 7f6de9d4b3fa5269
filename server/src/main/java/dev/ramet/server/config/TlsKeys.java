// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The setting that switches TLS on. */
public final class TlsKeys {
  /** Its name. */
  public static final String SETTING = "ramet.tls";

  private TlsKeys() {}

  /** Returns whether a value of the setting switches TLS on. */
  public static boolean isOn(@Nullable Object value) {
    return value != null && "ON".equals(value.toString().toUpperCase(Locale.ROOT));
  }
}
