// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings with which an engine is opened.
 *
 * @param dataRoot directory of everything the engine keeps; created when absent
 * @param guestDirectory directory with {@code ramet-agent} and {@code templates/<recipe>/recipe}
 * @param cacheDirectory where recipes keep downloaded packages
 * @param provision whether a copy-on-write pool may be created when the data root has none
 * @param provisionBytes size of such a pool, or null for the provisioner's default
 * @param storageBackend id of the storage backend for a new data root, or null to choose
 * @param memoryRoot where a new data root keeps its memory images, or null for the data root itself
 * @param hypervisor id of the hypervisor to use, or null to choose
 * @param memoryMode id of the memory mode to force, or null to choose for each capture
 * @param verifyCaptures whether every capture is compared with all of the paused machine's memory,
 *     which lengthens the pause with the size of the memory; a capture that differs fails with
 *     {@code CORRUPT}
 * @param plugins which plugins are loaded in addition to the built-in ones
 * @param pluginSettings settings by plugin id
 * @param outbound which connections guests may open
 * @param stagingBytes memory that holds pages read during a pause until they are written
 * @param preCopy the bounds of copying before a pause
 * @param memoryVolumes where to write the memory image of a snapshot that replaces another one
 * @param workingSet whether and when working sets of restored machines are recorded
 * @param cloneConcurrency how many clones start at the same time unless the caller says otherwise
 * @param startTimeout how long a machine may take to start or be restored
 * @param agentTimeout how long a booting guest may take until its agent answers
 * @param steps called before each step of an operation; an exception from it fails the operation
 */
public record EngineConfig(
    Path dataRoot,
    Path guestDirectory,
    Path cacheDirectory,
    Provision provision,
    @Nullable Long provisionBytes,
    @Nullable String storageBackend,
    @Nullable MemoryRoot memoryRoot,
    @Nullable String hypervisor,
    @Nullable String memoryMode,
    boolean verifyCaptures,
    PluginPolicy plugins,
    Map<String, Map<String, String>> pluginSettings,
    Outbound outbound,
    long stagingBytes,
    PreCopy preCopy,
    MemoryVolumes memoryVolumes,
    WorkingSetPolicy workingSet,
    int cloneConcurrency,
    Duration startTimeout,
    Duration agentTimeout,
    StepObserver steps) {
  private static final long DEFAULT_STAGING_BYTES = 64L << 20;

  /** Copies the settings. */
  public EngineConfig {
    pluginSettings = Map.copyOf(pluginSettings);
  }

  /**
   * A second root that holds only memory images, for example on faster storage, or on storage that
   * may fail without losing the disks.
   *
   * @param path an absolute directory that holds nothing else; created when absent
   * @param storageBackend id of the storage backend for a new root, or null to choose
   */
  public record MemoryRoot(Path path, @Nullable String storageBackend) {}

  /**
   * The bounds of pre-copy, which copies dirty pages in rounds while the machine runs, so that only
   * the pages written since remain for the pause. No round begins once a bound is reached.
   *
   * @param rounds the largest number of rounds; 0 for none
   * @param bytes the most bytes to copy, or 0 for twice the machine's memory
   * @param time the longest time to spend
   */
  public record PreCopy(int rounds, long bytes, Duration time) {
    /** Five rounds, at most 30 seconds. */
    public static final PreCopy DEFAULT = new PreCopy(5, 0, Duration.ofSeconds(30));

    /** Checks the numbers. */
    public PreCopy {
      if (rounds < 0 || bytes < 0 || time.isNegative()) {
        throw new IllegalArgumentException("a bound of pre-copy is negative");
      }
    }
  }

  /**
   * How working sets are used: at a snapshot's first restore the engine records which pages the
   * machine touches early, and at later restores it reads them into the page cache ahead of the
   * machine.
   *
   * @param use whether working sets are recorded and read ahead
   * @param after the delay from the agent's first answer until the machine's pages are inspected
   */
  public record WorkingSetPolicy(Switch use, Duration after) {
    /** On, two seconds after the agent answers. */
    public static final WorkingSetPolicy DEFAULT =
        new WorkingSetPolicy(Switch.ON, Duration.ofSeconds(2));

    /** Checks the time. */
    public WorkingSetPolicy {
      if (after.isNegative()) {
        throw new IllegalArgumentException("the time of the working set is negative");
      }
    }
  }

  /**
   * Which connections guests may open.
   *
   * @param byDefault whether guests may open connections unless their creator says otherwise
   * @param never addresses and networks that no guest may reach, as far as the kernel can enforce
   *     it
   * @param authorities a PEM file of certificate authorities to trust in addition to Java's when
   *     the host opens TLS connections on behalf of guests, or null for none
   */
  public record Outbound(boolean byDefault, List<String> never, @Nullable Path authorities) {
    /** This host itself and its link-local networks, on which clouds serve their metadata. */
    public static final List<String> THIS_HOST =
        List.of("127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "::/127", "fe80::/10");

    /** No connections unless the creator allows them, and never to this host. */
    public static final Outbound DEFAULT = new Outbound(false, THIS_HOST);

    /** Creates a policy that trusts only the certificate authorities that Java trusts. */
    public Outbound(boolean byDefault, List<String> never) {
      this(byDefault, never, null);
    }

    /** Copies the list. */
    public Outbound {
      never = List.copyOf(never);
    }
  }

  /** Where the memory image of a snapshot that replaces another one is written. */
  public enum MemoryVolumes {
    /** Into a new volume; the replaced snapshot is deleted once the new one is ready. */
    REBUILD,
    /**
     * Into the volume of the replaced snapshot, if only changed pages have to be written and
     * nothing else reads it. A crash during the write loses both snapshots.
     */
    IN_PLACE
  }

  /** Whether something is on. */
  public enum Switch {
    /** It is on. */
    ON,
    /** It is off. */
    OFF
  }

  /** Whether a copy-on-write pool may be created. */
  public enum Provision {
    /** If the host runs as root and the data root's file system cannot share blocks. */
    AUTO,
    /** Never. */
    OFF
  }

  /** Returns the default settings for a data root. */
  public static EngineConfig of(Path dataRoot, Path guestDirectory, Path cacheDirectory) {
    return new EngineConfig(
        dataRoot,
        guestDirectory,
        cacheDirectory,
        Provision.AUTO,
        null,
        null,
        null,
        null,
        null,
        false,
        PluginPolicy.BUILT_IN,
        Map.of(),
        Outbound.DEFAULT,
        DEFAULT_STAGING_BYTES,
        PreCopy.DEFAULT,
        MemoryVolumes.REBUILD,
        WorkingSetPolicy.DEFAULT,
        Math.max(2, Runtime.getRuntime().availableProcessors()),
        Duration.ofSeconds(30),
        Duration.ofSeconds(90),
        StepObserver.NONE);
  }

  /** Returns these settings with a separate root for memory images. */
  public EngineConfig withMemoryRoot(MemoryRoot root) {
    return with(storageBackend, root, plugins, steps);
  }

  /** Returns these settings with another observer of steps. */
  public EngineConfig withSteps(StepObserver observer) {
    return with(storageBackend, memoryRoot, plugins, observer);
  }

  /** Returns these settings with other plugins. */
  public EngineConfig withPlugins(PluginPolicy policy) {
    return with(storageBackend, memoryRoot, policy, steps);
  }

  /** Returns these settings with another choice for memory volumes. */
  public EngineConfig withMemoryVolumes(MemoryVolumes way) {
    return with(storageBackend, memoryRoot, plugins, way, workingSet, steps);
  }

  /** Returns these settings with another working set policy. */
  public EngineConfig withWorkingSet(WorkingSetPolicy policy) {
    return with(storageBackend, memoryRoot, plugins, memoryVolumes, policy, steps);
  }

  /** Returns these settings with this storage backend for a new data root. */
  public EngineConfig withStorageBackend(String id) {
    return with(id, memoryRoot, plugins, steps);
  }

  /** Returns these settings with another policy for outbound connections. */
  public EngineConfig withOutbound(Outbound policy) {
    return with(pluginSettings, policy);
  }

  /** Returns these settings with other plugin settings, by plugin id. */
  public EngineConfig withPluginSettings(Map<String, Map<String, String>> settings) {
    return with(settings, outbound);
  }

  private EngineConfig with(Map<String, Map<String, String>> settings, Outbound connections) {
    return new EngineConfig(
        dataRoot,
        guestDirectory,
        cacheDirectory,
        provision,
        provisionBytes,
        storageBackend,
        memoryRoot,
        hypervisor,
        memoryMode,
        verifyCaptures,
        plugins,
        settings,
        connections,
        stagingBytes,
        preCopy,
        memoryVolumes,
        workingSet,
        cloneConcurrency,
        startTimeout,
        agentTimeout,
        steps);
  }

  private EngineConfig with(
      @Nullable String backend,
      @Nullable MemoryRoot root,
      PluginPolicy policy,
      StepObserver observer) {
    return with(backend, root, policy, memoryVolumes, workingSet, observer);
  }

  private EngineConfig with(
      @Nullable String backend,
      @Nullable MemoryRoot root,
      PluginPolicy policy,
      MemoryVolumes volumes,
      WorkingSetPolicy pages,
      StepObserver observer) {
    return new EngineConfig(
        dataRoot,
        guestDirectory,
        cacheDirectory,
        provision,
        provisionBytes,
        backend,
        root,
        hypervisor,
        memoryMode,
        verifyCaptures,
        policy,
        pluginSettings,
        outbound,
        stagingBytes,
        preCopy,
        volumes,
        pages,
        cloneConcurrency,
        startTimeout,
        agentTimeout,
        observer);
  }
}
