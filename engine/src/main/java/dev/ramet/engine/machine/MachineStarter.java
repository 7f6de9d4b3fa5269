// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.machine;

import dev.ramet.engine.StepObserver;
import dev.ramet.engine.root.SplitStorage;
import dev.ramet.engine.sandboxes.SandboxRules;
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
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
  private final StepObserver steps;

  public MachineStarter(
      VmLauncher launcher,
      StorageBackend storage,
      Layout layout,
      WorkingSetPrefetcher workingSets,
      AgentSetup agents,
      StepObserver steps) {
    this.launcher = launcher;
    this.storage = storage;
    this.layout = layout;
    this.workingSets = workingSets;
    this.agents = agents;
    this.steps = steps;
  }

  /**
   * A machine to start.
   *
   * @param operation prefix of the step names reported to the observer
   * @param sandboxId the sandbox it belongs to
   * @param number its number among the sandbox's machines
   * @param source the snapshot or template it starts from
   * @param cpuCount virtual CPUs
   * @param memoryBytes guest memory
   * @param diskBytes virtual size of the disk, at least the source's
   * @param outbound whether it may open connections
   * @param rules its egress rules and volume mounts
   * @param environment default environment of its processes; empty keeps the guest's
   * @param accessToken the token its agent demands, or null for none
   * @param tokenIsSet whether to set the token in an agent that did not get it from its hypervisor
   * @param useMemory whether a warm source may be restored rather than booted
   */
  public record Order(
      String operation,
      String sandboxId,
      int number,
      SnapshotRecord source,
      int cpuCount,
      long memoryBytes,
      long diskBytes,
      boolean outbound,
      SandboxRules rules,
      Map<String, String> environment,
      @Nullable String accessToken,
      boolean tokenIsSet,
      boolean useMemory) {
    /**
     * Creates the order for a sandbox's next machine, with the CPUs, memory and disk size of the
     * source.
     */
    public static Order next(
        String operation,
        SandboxRecord before,
        SnapshotRecord source,
        Map<String, String> environment,
        boolean useMemory) {
      return new Order(
          operation,
          before.id(),
          before.machine().number() + 1,
          source,
          source.cpuCount(),
          source.memoryBytes(),
          source.diskBytes(),
          before.outbound(),
          before.terms().rules(),
          environment,
          before.terms().accessToken(),
          true,
          useMemory);
    }

    /**
     * Returns the token to set in the agent: empty to remove one that it may have from its capture,
     * null to leave it alone.
     */
    @Nullable String tokenToSet() {
      String token = accessToken;
      return !tokenIsSet ? null : token == null ? "" : token;
    }

    /** Returns whether the machine can be restored rather than booted. */
    boolean warm() {
      return useMemory && MachineStarter.warm(source, cpuCount, memoryBytes);
    }
  }

  /** Returns whether a machine of this size can be restored from the source rather than booted. */
  public static boolean warm(SnapshotRecord source, int cpuCount, long memoryBytes) {
    return source.warm() && cpuCount == source.cpuCount() && memoryBytes == source.memoryBytes();
  }

  /** A running machine whose agent has answered. */
  public record Started(SandboxRecord.Machine machine, RunningVm vm) {}

  /** Starts a machine. If this fails, nothing of it is left. */
  public Started start(Order order) {
    SnapshotRecord source = order.source();
    if (order.warm()) {
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
      HostProof proof = launcher.proof(source, order.warm());
      SandboxRecord.Machine planned =
          new SandboxRecord.Machine(
              order.number(),
              order.cpuCount(),
              order.memoryBytes(),
              source.kernelArguments(),
              hasInitrd,
              "",
              order.warm() ? source.id() : null,
              null,
              proof.own());
      RunningVm vm = machine(order, planned);
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
              new SandboxRecord.Machine(
                  planned.number(),
                  planned.cpuCount(),
                  planned.memoryBytes(),
                  planned.kernelArguments(),
                  hasInitrd,
                  HostNetwork.address(vm.spec().network()),
                  planned.memoryBase(),
                  vm.identity(),
                  known),
              vm);
      if (order.warm()) {
        workingSets.restored(order.sandboxId(), source, vm);
      }
      undo.commit();
      return started;
    } catch (IOException e) {
      throw Errors.io("cannot start " + order.sandboxId(), layout.root(), e);
    }
  }

  /**
   * Runs the machine. If that fails, reports a full disk if that is the cause: a hypervisor that
   * cannot write its files says so in its log, if anywhere.
   */
  private RunningVm machine(Order order, SandboxRecord.Machine planned) {
    try {
      return launcher.run(order, planned);
    } catch (RametException e) {
      throw Errors.orFull("cannot start " + order.sandboxId(), layout.root(), e);
    }
  }

  /**
   * Restores the egress rules and volumes of a machine that was found again after its host ended.
   */
  public void foundAgain(SandboxRecord record, RunningVm vm) {
    launcher.confineAgain(record, vm);
    agents.mountAgain(record, vm);
  }

  /** Grows the disk. The agent grows the guest's file system when it starts. */
  private void grow(NodeId disk, long sizeBytes) {
    Growable growable = Capability.of(SplitStorage.of(storage, disk), Growable.class);
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
  public void giveUp(Runnable kill, RunningVm old) {
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
