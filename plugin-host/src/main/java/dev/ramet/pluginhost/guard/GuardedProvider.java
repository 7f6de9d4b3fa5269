// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.Service;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.Hypervisor;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.hypervisor.HypervisorProvider;
import dev.ramet.spi.memory.MemoryFacts;
import dev.ramet.spi.memory.MemoryMode;
import dev.ramet.spi.memory.MemoryModeProvider;
import dev.ramet.spi.settings.Setting;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageInspection;
import dev.ramet.spi.storage.root.RootExamination;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Guards a provider and the objects that it opens. Its id is fixed when it is loaded.
 *
 * @param <T> the type of objects it opens
 */
public abstract class GuardedProvider<T extends AutoCloseable> implements Provider<T> {
  private final Service.Found found;
  private final Provider<? extends T> provider;
  private final Guard guard;
  private final BiFunction<T, Guard, T> opened;

  private GuardedProvider(
      Service.Found found, Provider<? extends T> provider, BiFunction<T, Guard, T> opened) {
    this.found = found;
    this.provider = provider;
    this.guard = new Guard(found);
    this.opened = opened;
  }

  /** Returns the guarded form of a provider. */
  public static GuardedProvider<?> wrap(Service.Found found) {
    Object instance = found.instance();
    if (instance instanceof StorageBackendProvider storage) {
      return new Storage(found, storage);
    }
    if (instance instanceof MemoryModeProvider memory) {
      return new Memory(found, memory);
    }
    if (instance instanceof HypervisorProvider hypervisor) {
      return new Machines(found, hypervisor);
    }
    throw new IllegalArgumentException("no provider of a known kind: " + instance.getClass());
  }

  private static final class Storage extends GuardedProvider<StorageBackend>
      implements StorageBackendProvider, RootExamination {
    private final StorageBackendProvider plugged;
    private final Guard guard;

    Storage(Service.Found found, StorageBackendProvider provider) {
      super(found, provider, GuardedStorage::new);
      this.plugged = provider;
      this.guard = new Guard(found);
    }

    @Override
    public StorageFacts atBest() {
      return (StorageFacts) facts();
    }

    @Override
    public StorageBackend examine(ProbeContext where) {
      if (!(plugged instanceof RootExamination examination)) {
        throw new RametException(
            ErrorCode.UNSUPPORTED,
            "the storage backend " + id() + " can inspect a root only while a host runs",
            "start the host and send it the command",
            null);
      }
      try {
        StorageBackend opened = guard.requireNonNull("examine", examination.examine(where));
        if (!(opened instanceof StorageInspection)) {
          throw guard.contractViolation("examine", opened + ", which cannot inspect a root");
        }
        return new GuardedStorage(opened, guard);
      } catch (Throwable e) { // turns whatever a plugin throws into one kind of error
        throw guard.failed("examine", e);
      }
    }
  }

  private static final class Memory extends GuardedProvider<MemoryMode>
      implements MemoryModeProvider {
    Memory(Service.Found found, MemoryModeProvider provider) {
      super(found, provider, GuardedMemoryMode::new);
    }

    @Override
    public MemoryFacts atBest() {
      return (MemoryFacts) facts();
    }
  }

  private static final class Machines extends GuardedProvider<Hypervisor>
      implements HypervisorProvider {
    Machines(Service.Found found, HypervisorProvider provider) {
      super(found, provider, GuardedHypervisor::new);
    }

    @Override
    public HypervisorFacts atBest() {
      return (HypervisorFacts) facts();
    }
  }

  @Override
  public String id() {
    return found.id();
  }

  @Override
  public List<Setting<?>> settings() {
    return found.settings();
  }

  /** Returns the facts at best, which were checked when the provider was loaded. */
  Facts facts() {
    return Objects.requireNonNull(found.atBest());
  }

  /** Returns where the provider comes from. */
  public Origin origin() {
    return found.origin();
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    try {
      ProbeResult result = provider.probe(where);
      return isComplete(result)
          ? result
          : new ProbeResult.Failed(guard.contractViolation("probe", String.valueOf(result)));
    } catch (Throwable e) { // whatever a plugin throws, the other plugins must still be probed
      return new ProbeResult.Failed(guard.failed("probe", e));
    }
  }

  private boolean isComplete(@Nullable ProbeResult result) {
    if (result instanceof ProbeResult.Unusable no) {
      return isText(no.reason()) && isText(no.detail()) && isText(no.remedy());
    }
    return result instanceof ProbeResult.Failed failed
        ? isPresent(failed.cause())
        : result instanceof ProbeResult.Usable usable
            && facts().getClass().isInstance(usable.facts());
  }

  private static boolean isText(@Nullable String text) {
    return text != null;
  }

  private static boolean isPresent(@Nullable Object object) {
    return object != null;
  }

  @Override
  public T open(ProbeContext where) {
    try {
      return opened.apply(guard.requireNonNull("open", provider.open(where)), guard);
    } catch (Throwable e) { // turns whatever a plugin throws into one kind of error
      throw guard.failed("open", e);
    }
  }
}
