// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import java.io.IOException;

/** Controls the file system that the backend works on. */
public interface HostControl {
  /** Takes up the free space until about this much is left; call it again to take up more. */
  void fill(long keepBytes) throws IOException;

  /** Frees the space again. */
  void unfill() throws IOException;

  /** Makes all writes fail, as on a file system mounted read-only, or succeed again. */
  void readOnly(boolean on) throws IOException;
}
