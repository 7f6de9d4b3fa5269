// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.template;

import dev.ramet.engine.state.SnapshotNames;
import dev.ramet.engine.state.SnapshotRecord;
import dev.ramet.engine.state.SnapshotStore;
import dev.ramet.engine.support.TaggedName;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes sure that one operation at a time works on a template version. Thread-safe. */
public final class VersionLocks {
  private final SnapshotStore snapshots;
  private final Set<String> underWay = new HashSet<>();

  public VersionLocks(SnapshotStore snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * Works on a template version exclusively.
   *
   * @param vacant whether the name and tags must not exist yet
   * @throws RametException {@code CONFLICT} while another operation works on it
   */
  <T> T runExclusively(TaggedName version, boolean vacant, Supplier<T> work) {
    try (SnapshotNames.Reservation one = reserveExclusively(version);
        SnapshotNames.Reservation reservation =
            snapshots.names().reserve(version, SnapshotRecord.Kind.TEMPLATE, vacant)) {
      return work.get();
    }
  }

  private SnapshotNames.Reservation reserveExclusively(TaggedName version) {
    List<String> keys = version.tags().stream().map(tag -> version.alias() + ":" + tag).toList();
    synchronized (underWay) {
      if (!Collections.disjoint(underWay, keys)) {
        throw new RametException(
            ErrorCode.CONFLICT, "template " + version + " is being built already");
      }
      underWay.addAll(keys);
    }
    return () -> {
      synchronized (underWay) {
        keys.forEach(underWay::remove);
      }
    };
  }
}
