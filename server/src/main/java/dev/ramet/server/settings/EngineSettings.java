// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.engine.EngineConfig;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of the engine, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} describes each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param guestDir directory of the guest agent and the template recipes
 * @param cacheDir directory of downloaded packages
 * @param storageProvision whether the engine may create a copy-on-write pool
 * @param storagePoolSize size of the pool in bytes, or null for the default
 * @param storageBackend id of the backend of a new data root, or null to choose
 * @param storageMemoryRoot where a new data root keeps memory images, or null for the data root
 *     itself
 * @param storageMemoryBackend id of the backend there, or null to choose
 * @param hypervisor id of the hypervisor, or null to choose
 * @param accelerator {@code kvm}, {@code tcg} or {@code auto}
 * @param memoryMode id of the memory mode to force, or null to choose
 * @param verifyCaptures whether every capture is compared with the machine's whole memory
 * @param precopyRounds maximum number of pre-copy rounds
 * @param precopyBytes maximum number of bytes they copy, or null to choose
 * @param precopyTime maximum duration of pre-copy
 * @param memoryVolumes how the memory volume of a replaced snapshot is used
 * @param workingSet whether the working set is prefetched before a restore
 * @param workingSetAfter when a machine's working set is recorded, counted from its agent's
 *     response
 * @param pluginsDir directory with a folder for each third-party plugin, or null for none
 * @param pluginsRequired plugins without which the host does not start; null for none
 * @param pluginsNativeAccess plugins that may call native code; null for none
 * @param pluginsPreferred ids of plugins preferred over all others of their kind; null for none
 * @param outbound whether guests may open connections
 * @param outboundNever addresses and networks that no guest can reach; null for this host itself
 * @param outboundAuthorities a PEM file of authorities to trust in addition to Java's; null for
 *     none
 * @param cloneConcurrency how many clones start at the same time, or null to choose
 * @param startTimeout time limit for starting a machine
 * @param agentTimeout time limit for the agent's response in a booting guest
 */
@ConfigurationProperties("ramet")
public record EngineSettings(
    Path guestDir,
    Path cacheDir,
    EngineConfig.Provision storageProvision,
    @Nullable Long storagePoolSize,
    @Nullable String storageBackend,
    @Nullable Path storageMemoryRoot,
    @Nullable String storageMemoryBackend,
    @Nullable String hypervisor,
    String accelerator,
    @Nullable String memoryMode,
    boolean verifyCaptures,
    int precopyRounds,
    @Nullable Long precopyBytes,
    Duration precopyTime,
    EngineConfig.MemoryVolumes memoryVolumes,
    EngineConfig.Switch workingSet,
    Duration workingSetAfter,
    @Nullable Path pluginsDir,
    @Nullable List<String> pluginsRequired,
    @Nullable List<String> pluginsNativeAccess,
    @Nullable List<String> pluginsPreferred,
    boolean outbound,
    @Nullable List<String> outboundNever,
    @Nullable Path outboundAuthorities,
    @Nullable Integer cloneConcurrency,
    Duration startTimeout,
    Duration agentTimeout) {}
