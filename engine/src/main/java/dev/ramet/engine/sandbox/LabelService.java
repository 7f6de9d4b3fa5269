// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.sandboxes.Sandbox;
import dev.ramet.engine.sandboxes.Sandboxes;
import dev.ramet.engine.state.LiveSandbox;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SandboxStore;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Ids;
import dev.ramet.engine.support.Undo;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/**
 * Changes the names and labels of sandboxes. A name is taken before the manifest is written and the
 * old one released after it, so that no two sandboxes ever have the same. Thread-safe.
 */
public final class LabelService {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final SandboxStore sandboxes;
  private final StepObserver steps;

  public LabelService(SandboxStore sandboxes, StepObserver steps) {
    this.sandboxes = sandboxes;
    this.steps = steps;
  }

  /** Changes the label. Waits until no other operation holds the sandbox. */
  void set(LiveSandbox live, Sandboxes.LabelChange change) {
    String wanted = change.name();
    if (wanted != null && !wanted.isEmpty()) {
      Ids.checkSandboxName("name", wanted);
    }
    try (LiveSandbox.Hold hold = live.acquire("set labels", TIMEOUT);
        Undo undo = new Undo()) {
      SandboxRecord before = sandboxes.get(live.id()).saved();
      Sandbox.Label after = change.applyTo(before.label());
      boolean renamed = !Objects.equals(before.name(), after.name());
      if (renamed) {
        sandboxes.takeName(after.name(), live.id());
        undo.add("name of " + live.id(), () -> sandboxes.releaseName(after.name(), live.id()));
      }
      steps.before("label.commit");
      // The machine may end meanwhile, which changes other parts of the record.
      live.updateRecord(now -> now.withLabel(after), sandboxes::saveDurably);
      undo.commit();
      if (renamed) {
        sandboxes.releaseName(before.name(), live.id());
      }
    } catch (IOException e) {
      throw Errors.ioError("cannot set the labels of " + live.id(), sandboxes.root(), e);
    }
  }
}
