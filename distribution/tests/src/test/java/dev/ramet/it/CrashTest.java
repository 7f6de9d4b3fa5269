// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

/** Tests crashes on a single data root. */
final class CrashTest extends CrashContract {
  @Override
  Ground make() throws Exception {
    return Ground.make();
  }
}
