// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.guard.StartGate;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.state.HostSecret;
import dev.ramet.engine.state.Layout;
import dev.ramet.engine.state.SandboxRecord;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.support.Errors;
import dev.ramet.engine.support.Undo;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.files.FileTrees;
import dev.ramet.pluginhost.guard.Capability;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.Growable;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.StorageBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Starts machines for sandboxes: restores them from a warm source, or else boots them. Thread-safe.
 */
public final class MachineStarter {
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

  private final VmLauncher launcher;
  private final StorageBackend storage;
  private final Layout layout;
  private final WorkingSetPrefetcher workingSets;
  private final AgentSetup agents;
  private final Starts starts;
  private final StepObserver steps;

  /**
   * Decides whether machines may start.
   *
   * @param gate closed while the host holds machines for lack of space
   * @param stops whether the hypervisor stops machines whose disk is full
   */
  public record Starts(StartGate gate, boolean stops) {
    StartGate.Start admit(String sandboxId) {
      return gate.admit(sandboxId, stops);
    }

    void require(String doing) {
      gate.require(doing, stops);
    }
  }

  public MachineStarter(
      VmLauncher launcher,
      StorageBackend storage,
      Layout layout,
      WorkingSetPrefetcher workingSets,
      AgentSetup agents,
      Starts starts,
      StepObserver steps) {
    this.launcher = launcher;
    this.storage = storage;
    this.layout = layout;
    this.workingSets = workingSets;
    this.agents = agents;
    this.starts = starts;
    this.steps = steps;
  }

  /** Returns whether a machine of this size can be restored from the source rather than booted. */
  public static boolean canRestore(SnapshotRecord source, int cpuCount, long memoryBytes) {
    return source.warm() && cpuCount == source.cpuCount() && memoryBytes == source.memoryBytes();
  }

  /** A running machine whose agent has answered. */
  public record Started(SandboxRecord.Machine machine, RunningVm vm) {}

  /**
   * Refuses to start machines while the host holds those that run for lack of space; for callers
   * that would change something before they start one.
   *
   * @param doing the work, as the rest of a sentence that begins with "cannot"
   * @throws RametException {@code NO_SPACE}
   */
  public void requireStarts(String doing) {
    starts.require(doing);
  }

  /**
   * Starts a machine. If this fails, nothing of it is left.
   *
   * @throws RametException {@code NO_SPACE} while the host holds machines for lack of space
   */
  public Started start(MachineOrder order) {
    StartGate.Start admitted = starts.admit(order.sandboxId());
    try (Undo undo = new Undo()) {
      undo.add("start of " + order.sandboxId(), admitted::close);
      Started started = start(order, admitted);
      undo.commit();
      return started;
    } catch (RametException e) {
      throw admitted.failure(e);
    }
  }

  private Started start(MachineOrder order, StartGate.Start admitted) {
    SnapshotRecord source = order.source();
    if (order.canRestore()) {
      workingSets.prefetch(source);
    }
    try (Undo undo = new Undo()) {
      steps.before(order.operation() + ".disk");
      var disk = Layout.machineDisk(order.sandboxId(), order.number());
      undo.add("disk of " + order.sandboxId(), () -> storage.delete(disk));
      storage.fork(Layout.snapshotDisk(source.id()), disk, Durability.RELAXED);
      if (order.diskBytes() > source.diskBytes()) {
        steps.before(order.operation() + ".grow");
        grow(disk, order.diskBytes());
      }

      steps.before(order.operation() + ".directory");
      Path directory = layout.machine(order.sandboxId(), order.number());
      undo.add("directory of " + order.sandboxId(), () -> FileTrees.delete(directory));
      Files.createDirectories(directory);
      Path from = layout.snapshot(source.id());
      boolean hasInitrd = shareKernel(from, directory);

      steps.before(order.operation() + ".machine");
      HostProof proof = launcher.proof(source, order.canRestore());
      SandboxRecord.Machine planned =
          SandboxRecord.Machine.builder()
              .number(order.number())
              .cpuCount(order.cpuCount())
              .memoryBytes(order.memoryBytes())
              .kernelArguments(source.kernelArguments())
              .hasInitrd(hasInitrd)
              .hostAddress("")
              .memoryBase(order.canRestore() ? source.id() : null)
              .hostSecret(proof.own())
              .build();
      RunningVm vm = machine(order, planned, admitted);
      undo.add("machine of " + order.sandboxId(), () -> vm.kill(KILL_TIMEOUT));

      Integer agentPort = source.agentPort();
      HostSecret known = null;
      if (agentPort != null) {
        steps.before(order.operation() + ".agent");
        known = agents.initialise(order, proof, vm, agentPort);
      }
      steps.before(order.operation() + ".started");
      Started started =
          new Started(
              planned.toBuilder()
                  .hostAddress(HostNetwork.address(vm.spec().network()))
                  .identity(vm.identity())
                  .hostSecret(known)
                  .build(),
              vm);
      if (order.canRestore()) {
        workingSets.restored(order.sandboxId(), source, vm);
      }
      admitted.finish();
      undo.commit();
      return started;
    } catch (IOException e) {
      throw Errors.ioError("cannot start " + order.sandboxId(), layout.root(), e);
    }
  }

  /**
   * Runs the machine. If that fails, reports a full disk if that is the cause: a hypervisor that
   * cannot write its files says so in its log, if anywhere.
   */
  private RunningVm machine(
      MachineOrder order, SandboxRecord.Machine planned, StartGate.Start admitted) {
    try {
      return launcher.run(order, planned, admitted);
    } catch (RametException e) {
      throw Errors.diskFullOr("cannot start " + order.sandboxId(), layout.root(), e);
    }
  }

  /**
   * Restores the egress rules and volumes of a machine that was found again after its host ended.
   */
  public void restoreConnections(SandboxRecord record, RunningVm vm) {
    launcher.reapplyRules(record, vm);
    agents.remount(record, vm);
  }

  /** Grows the disk. The agent grows the guest's file system when it starts. */
  private void grow(NodeId disk, long sizeBytes) {
    Growable growable = Capability.guarded(SplitStorage.backendOf(storage, disk), Growable.class);
    if (growable == null) {
      throw new RametException(
          ErrorCode.UNSUPPORTED,
          "the storage backend cannot make a disk larger",
          "leave out diskSizeMB, or use another storage backend",
          null);
    }
    growable.grow(disk, sizeBytes);
  }

  /** Kills a started machine and removes its disk and directory. */
  public void discard(String sandboxId, Started started) {
    started.vm().kill(KILL_TIMEOUT);
    discardFiles(sandboxId, started.machine().number());
  }

  /**
   * Ends a machine that its sandbox no longer needs. Never throws, but tries by all means to end
   * it: it must not run next to its replacement.
   *
   * @param kill kills the machine through its own handle
   */
  public void discardMachine(Runnable kill, RunningVm old) {
    launcher.giveUp(kill, old);
  }

  /** Removes the disk and the directory of a machine that does not run any more. */
  public void discardFiles(String sandboxId, int number) {
    storage.delete(Layout.machineDisk(sandboxId, number));
    FileTrees.delete(layout.machine(sandboxId, number));
  }

  /** Links the kernel and the initial ram disk. Returns whether there is an initial ram disk. */
  public static boolean shareKernel(Path from, Path to) throws IOException {
    Files.createLink(Layout.kernel(to), Layout.kernel(from));
    if (!Files.exists(Layout.initrd(from))) {
      return false;
    }
    Files.createLink(Layout.initrd(to), Layout.initrd(from));
    return true;
  }
}
