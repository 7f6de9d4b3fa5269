// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.start;

import dev.ramet.egress.rule.Secrets;
import dev.ramet.engine.Doctor;
import dev.ramet.engine.Metric;
import dev.ramet.engine.Storage;
import dev.ramet.engine.metrics.Registry;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.snapshots.Snapshots;
import dev.ramet.engine.support.Undo;
import dev.ramet.engine.templates.Templates;
import dev.ramet.engine.volumes.Volumes;
import java.util.List;

/** An open engine. Closing it closes all parts in the reverse order of their creation. */
final class OpenEngine implements Engine {
  private final Operations operations;
  private final Doctor doctor;
  private final Registry metrics;
  private final Undo close;

  OpenEngine(Operations operations, Doctor doctor, Registry metrics, Undo close) {
    this.operations = operations;
    this.doctor = doctor;
    this.metrics = metrics;
    this.close = close;
  }

  /**
   * The operations that an engine offers, by what they are about.
   *
   * @param sandboxes those on sandboxes
   * @param snapshots those on snapshots
   * @param templates those on templates
   * @param volumes those on volumes
   * @param storage those on storage
   * @param secrets those on secrets
   */
  record Operations(
      Sandboxes sandboxes,
      Snapshots snapshots,
      Templates templates,
      Volumes volumes,
      Storage storage,
      Secrets secrets) {}

  @Override
  public Sandboxes sandboxes() {
    return operations.sandboxes();
  }

  @Override
  public Snapshots snapshots() {
    return operations.snapshots();
  }

  @Override
  public Templates templates() {
    return operations.templates();
  }

  @Override
  public Volumes volumes() {
    return operations.volumes();
  }

  @Override
  public Storage storage() {
    return operations.storage();
  }

  @Override
  public Secrets secrets() {
    return operations.secrets();
  }

  @Override
  public List<Metric> metrics() {
    return metrics.read();
  }

  @Override
  public Doctor doctor() {
    return doctor;
  }

  @Override
  public void close() {
    close.close();
  }
}
