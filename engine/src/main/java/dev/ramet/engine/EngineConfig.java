// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an engine is opened.
 *
 * @param dataRoot directory of everything the engine keeps; made when absent
 * @param guestDirectory directory with {@code ramet-agent} and {@code templates/<recipe>/recipe}
 * @param cacheDirectory where recipes keep downloaded packages
 * @param provision whether a copy-on-write pool may be made when the data root has none
 * @param provisionBytes size of such a pool, or null for the provisioner's default
 * @param storageBackend id of the storage backend to use on a new data root, or null to choose
 * @param memoryRoot where a new data root keeps its memory images, or null for in itself
 * @param hypervisor id of the hypervisor to use, or null to choose
 * @param memoryMode id of the memory mode to force, or null to choose for each capture
 * @param verifyCaptures whether every capture is compared with all of the paused machine's memory,
 *     which makes the pause grow with the memory; one that differs fails with {@code CORRUPT}
 * @param plugins which plugins are taken beside the built-in ones
 * @param pluginSettings settings by plugin id
 * @param outbound what connections guests may open
 * @param stagingBytes memory that holds pages read in a pause until they are written
 * @param preCopy how much is copied before a pause
 * @param memoryVolumes what becomes of the memory volume of a snapshot that another one replaces
 * @param workingSet what is done about the pages that restored machines use at once
 * @param cloneConcurrency how many clones start at the same time unless the caller says otherwise
 * @param startTimeout how long a machine may take to start or be restored
 * @param agentTimeout how long a booting guest may take until its agent answers
 * @param steps told each step of an operation before it is taken; what it throws fails the
 *     operation
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
    Steps steps) {
  private static final long DEFAULT_STAGING_BYTES = 64L << 20;

  /** Copies the settings. */
  public EngineConfig {
    pluginSettings = Map.copyOf(pluginSettings);
  }

  /**
   * A second root, which holds memory images alone: on faster storage, or on one that may fail
   * without the disks.
   *
   * @param path an absolute directory that holds nothing else; made when absent
   * @param storageBackend id of the storage backend to use when it is new, or null to choose
   */
  public record MemoryRoot(Path path, @Nullable String storageBackend) {}

  /**
   * Copies written pages while the machine runs, in rounds, so that its pause is left with what was
   * written since. No round begins beyond any of the bounds.
   *
   * @param rounds at most so many; 0 for none
   * @param bytes at most so many bytes, or 0 for twice the machine's memory
   * @param time at most so long
   */
  public record PreCopy(int rounds, long bytes, Duration time) {
    /** Five rounds, half a minute. */
    public static final PreCopy DEFAULT = new PreCopy(5, 0, Duration.ofSeconds(30));

    /** Checks the numbers. */
    public PreCopy {
      if (rounds < 0 || bytes < 0 || time.isNegative()) {
        throw new IllegalArgumentException("a bound of pre-copy is negative");
      }
    }
  }

  /**
   * The pages that a restored machine uses at once are found out at a snapshot's first restore, and
   * read into the page cache while later ones begin.
   *
   * @param use whether any of that is done
   * @param after how long after its agent answered a machine's pages are looked at
   */
  public record WorkingSetPolicy(Switch use, Duration after) {
    /** On, after two seconds. */
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
   * What connections guests may open.
   *
   * @param byDefault whether they may open any unless their creator says otherwise
   * @param never addresses and networks that no guest reaches, as far as the kernel can keep them
   *     from it
   * @param authorities a PEM file of authorities to trust, beside Java's, where the host speaks TLS
   *     with others for guests; or null for none
   */
  public record Outbound(boolean byDefault, List<String> never, @Nullable Path authorities) {
    /** This host itself, and its links: metadata services of clouds are on one. */
    public static final List<String> THIS_HOST =
        List.of("127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "::/127", "fe80::/10");

    /** None unless their creator says so, and never to this host. */
    public static final Outbound DEFAULT = new Outbound(false, THIS_HOST);

    /** With the authorities that Java trusts. */
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
    /** Into a volume of its own; the replaced one is deleted once that is ready. */
    REBUILD,
    /**
     * Into the volume of the replaced one where only changed pages have to be written to it and
     * nobody else reads it. A crash meanwhile loses both.
     */
    IN_PLACE
  }

  /** Whether something is done. */
  public enum Switch {
    /** It is. */
    ON,
    /** It is not. */
    OFF
  }

  /** Whether a copy-on-write pool may be made. */
  public enum Provision {
    /** As root, where the data root's file system cannot share blocks. */
    AUTO,
    /** Never. */
    OFF
  }

  /**
   * Sees each step of an operation before it is taken: for tracing, and for tests that break one.
   */
  @FunctionalInterface
  public interface Steps {
    /** Nobody looks. */
    Steps NONE = step -> {};

    /** The operation is about to take {@code step}, for example {@code snapshot.pause}. */
    void before(String step);
  }

  /** The defaults for a data root. */
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
        Steps.NONE);
  }

  /** The same with a root of its own for memory images. */
  public EngineConfig withMemoryRoot(MemoryRoot root) {
    return with(storageBackend, root, plugins, steps);
  }

  /** The same with another observer of steps. */
  public EngineConfig withSteps(Steps observer) {
    return with(storageBackend, memoryRoot, plugins, observer);
  }

  /** The same with other plugins. */
  public EngineConfig withPlugins(PluginPolicy policy) {
    return with(storageBackend, memoryRoot, policy, steps);
  }

  /** The same with another way with memory volumes. */
  public EngineConfig withMemoryVolumes(MemoryVolumes way) {
    return with(storageBackend, memoryRoot, plugins, way, workingSet, steps);
  }

  /** The same with another way with working sets. */
  public EngineConfig withWorkingSet(WorkingSetPolicy policy) {
    return with(storageBackend, memoryRoot, plugins, memoryVolumes, policy, steps);
  }

  /** The same with this storage backend for a new data root. */
  public EngineConfig withStorageBackend(String id) {
    return with(id, memoryRoot, plugins, steps);
  }

  /** The same with other connections that guests may open. */
  public EngineConfig withOutbound(Outbound policy) {
    return with(pluginSettings, policy);
  }

  /** The same with other settings of plugins, by their ids. */
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
      @Nullable String backend, @Nullable MemoryRoot root, PluginPolicy policy, Steps observer) {
    return with(backend, root, policy, memoryVolumes, workingSet, observer);
  }

  private EngineConfig with(
      @Nullable String backend,
      @Nullable MemoryRoot root,
      PluginPolicy policy,
      MemoryVolumes volumes,
      WorkingSetPolicy pages,
      Steps observer) {
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
