// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/**
 * A Ramet host without its HTTP: opens a data root, picks plugins, finds the sandboxes that still
 * run, and carries out operations on them.
 *
 * <p>Thread-safe. All calls block and throw {@link dev.ramet.errors.RametException}.
 */
public interface Engine extends AutoCloseable {
  /** Operations on sandboxes. */
  Sandboxes sandboxes();

  /** Operations on snapshots. */
  Snapshots snapshots();

  /** Operations on templates. */
  Templates templates();

  /** Operations on volumes that sandboxes share. */
  Volumes volumes();

  /** What an operator does with its roots. */
  Storage storage();

  /** Operations on secrets. */
  Secrets secrets();

  /** What was counted since the engine was opened. */
  List<Metric> metrics();

  /** What this host can do, what was chosen and why. */
  Doctor doctor();

  /** Lets go of the data root. Running sandboxes run on and are found again at the next start. */
  @Override
  void close();
}
