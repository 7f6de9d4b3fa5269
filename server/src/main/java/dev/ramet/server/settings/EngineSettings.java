// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.settings;

import dev.ramet.engine.EngineConfig;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What an operator can set of the engine, under the prefix {@code ramet.}; {@link
 * dev.ramet.server.config.SettingCatalog} says more about each and has the defaults. Immutable and
 * thread-safe.
 *
 * @param guestDir directory of the guest agent and the template recipes
 * @param cacheDir directory of downloaded packages
 * @param storageProvision whether a copy-on-write pool may be made
 * @param storagePoolSize its size in bytes, or null for what suits the host
 * @param storageBackend id of the backend of a new data root, or null to choose
 * @param storageMemoryRoot where a new data root keeps memory images, or null for in itself
 * @param storageMemoryBackend id of the backend there, or null to choose
 * @param hypervisor id of the hypervisor, or null to choose
 * @param accelerator {@code kvm}, {@code tcg} or {@code auto}
 * @param memoryMode id of the memory mode to force, or null to choose
 * @param verifyCaptures whether every capture is compared with all of the machine's memory
 * @param precopyRounds how often pages may be copied before a pause
 * @param precopyBytes how many bytes that may be, or null to choose
 * @param precopyTime how long that may take
 * @param memoryVolumes what becomes of the memory volume of a snapshot that another one replaces
 * @param workingSet whether the pages that restored machines use at once are prefetched
 * @param workingSetAfter how long after its agent answered a machine's pages are looked at
 * @param pluginsDir directory with a folder for each plugin of third parties, or null for none
 * @param pluginsRequired those that must be taken, or the host does not start; null for none
 * @param pluginsNativeAccess those that may call native code; null for none
 * @param pluginsPreferred ids of plugins that go before all others of their kind; null for none
 * @param outbound whether guests may open connections
 * @param outboundNever addresses and networks that no guest reaches; null for this host itself
 * @param outboundAuthorities a PEM file of authorities to trust beside Java's; null for none
 * @param cloneConcurrency how many clones start at the same time, or null to choose
 * @param startTimeout how long a machine may take to start
 * @param agentTimeout how long a booting guest may take until its agent answers
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
