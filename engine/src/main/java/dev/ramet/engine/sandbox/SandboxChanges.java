// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.sandbox;

/**
 * The changes that callers make to existing sandboxes.
 *
 * @param expiry when they end
 * @param network which addresses they may reach
 * @param pauses pauses them
 * @param resumes resumes them
 * @param rollback rolls them back to snapshots
 * @param restarts boots them again from their disks
 * @param labels changes their names and labels
 */
public record SandboxChanges(
    SandboxExpiry expiry,
    NetworkChange network,
    PauseService pauses,
    ResumeService resumes,
    RollbackService rollback,
    RestartService restarts,
    LabelService labels) {}
