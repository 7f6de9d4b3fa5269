// SPDX-License-Identifier: Apache-2.0
package dev.ramet.backends.bytecopy;

import dev.ramet.backends.ReusingBackend;
import dev.ramet.backends.copy.CopyProbe;
import dev.ramet.backends.copy.SparseCopy;
import dev.ramet.backends.disk.Steps;
import dev.ramet.backends.root.ReadOnlyRoot;
import dev.ramet.linux.LinuxException;
import dev.ramet.spi.ProbeContext;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.storage.StorageBackend;
import dev.ramet.spi.storage.StorageBackendProvider;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.root.RootExamination;
import java.util.Set;

/** Provides {@code byte-copy}: every snapshot and fork copies the data, though not the holes. */
public final class ByteCopyProvider implements StorageBackendProvider, RootExamination {
  private static final String ID = "byte-copy";
  private static final int FORMAT = 1;
  private static final StorageFacts FACTS = StorageFacts.copying(ReusingBackend.FEATURES);

  /** Called by {@link java.util.ServiceLoader}. */
  public ByteCopyProvider() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public StorageFacts atBest() {
    return FACTS;
  }

  @Override
  public ProbeResult probe(ProbeContext where) {
    try {
      return new ProbeResult.Usable(FACTS, CopyProbe.run(where.root(), new SparseCopy()));
    } catch (LinuxException e) {
      ProbeResult.Unusable unusable = CopyProbe.explain(e, where.root());
      return unusable != null ? unusable : new ProbeResult.Failed(e);
    } catch (RuntimeException e) {
      return new ProbeResult.Failed(e);
    }
  }

  @Override
  public StorageBackend open(ProbeContext where) {
    return ReusingBackend.open(where.root(), ID, FORMAT, new SparseCopy(), Steps.NONE);
  }

  @Override
  public StorageBackend examine(ProbeContext where) {
    return ReadOnlyRoot.openFiles(where.root(), ID, FORMAT, Set.of("volumes"));
  }
}
