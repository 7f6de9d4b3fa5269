// SPDX-License-Identifier: Apache-2.0
package dev.ramet.tck.storage;

import java.io.IOException;

/** What the harness can do to the file system that the backend works on. */
public interface HostControl {
  /** Takes up the free space until about so much is left; again to take up more. */
  void fill(long keepBytes) throws IOException;

  /** Gives the space back. */
  void unfill() throws IOException;

  /** Makes all writing fail, as on a file system mounted read-only, or work again. */
  void readOnly(boolean on) throws IOException;
}
