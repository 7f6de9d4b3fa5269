// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.egress.rule.Secrets;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.Metric;
import dev.ramet.engine.Storage;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.templates.Templates;
import dev.ramet.engine.volumes.Volumes;
import java.util.List;

/**
 * The Ramet host without its HTTP interface: opens a data root, selects plugins, finds the
 * sandboxes that still run, and carries out operations on them.
 *
 * <p>Thread-safe. All calls block and throw {@link dev.ramet.errors.RametException}.
 */
public interface Engine extends AutoCloseable {
  /** Returns the operations on sandboxes. */
  Sandboxes sandboxes();

  /** Returns the operations on snapshots. */
  Snapshots snapshots();

  /** Returns the operations on templates. */
  Templates templates();

  /** Returns the operations on volumes that sandboxes share. */
  Volumes volumes();

  /** Returns the operations on data roots: check, collect, usage, export and import. */
  Storage storage();

  /** Returns the operations on secrets. */
  Secrets secrets();

  /** Returns everything counted since the engine was opened. */
  List<Metric> metrics();

  /** Returns the report on this host: what it can do, which plugins were selected, and why. */
  Doctor doctor();

  /**
   * Releases the data root. Running sandboxes keep running and are found again at the next start.
   */
  @Override
  void close();
}
