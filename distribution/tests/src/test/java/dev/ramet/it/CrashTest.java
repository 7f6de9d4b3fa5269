// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

/** Crashes on one root. */
final class CrashTest extends CrashContract {
  @Override
  Ground make() throws Exception {
    return Ground.make();
  }
}
