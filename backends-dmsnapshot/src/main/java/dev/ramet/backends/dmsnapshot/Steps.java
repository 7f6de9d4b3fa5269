// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.dmsnapshot;

/** Is told before every change of a layer's file or of a device: where a process can be killed. */
interface Steps {
  /** For a process that nobody kills. */
  Steps NONE = () -> {};

  /** A change is about to be made. */
  void next();
}
