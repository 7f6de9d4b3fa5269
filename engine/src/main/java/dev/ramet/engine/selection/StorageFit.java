// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.selection;

import dev.ramet.engine.root.DataRoots;
import dev.ramet.engine.root.RootOpener;
import dev.ramet.pluginhost.ProbedProvider;
import dev.ramet.pluginhost.find.PluginKind;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.hypervisor.HypervisorFacts;
import dev.ramet.spi.storage.Attachment;
import dev.ramet.spi.storage.StorageFacts;
import dev.ramet.spi.storage.StorageFeature;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a hypervisor can use the images of the roots: their storage backends were chosen
 * when the roots were made, so a hypervisor that does not fit cannot be selected.
 */
final class StorageFit {
  private static final Set<Attachment.Kind> MAPPABLE =
      EnumSet.of(Attachment.Kind.FILE, Attachment.Kind.BLOCK_DEVICE);

  private StorageFit() {}

  /** Returns a hypervisor's probe, turned into one that reports why it does not fit if so. */
  static ProbedProvider checked(ProbedProvider hypervisor, DataRoots roots) {
    HypervisorFacts facts = hypervisor.usableFacts(HypervisorFacts.class).orElse(null);
    if (facts == null) {
      return hypervisor;
    }
    for (RootOpener.Root root : roots.list()) {
      StorageFacts storage = facts(root);
      ProbeResult.Unusable misfit =
          storage == null ? null : misfit(facts, root, storage, roots.memory() != null);
      if (misfit != null) {
        return new ProbedProvider(
            hypervisor.role(), hypervisor.provider(), misfit, hypervisor.millis());
      }
    }
    return hypervisor;
  }

  private static @Nullable StorageFacts facts(RootOpener.Root root) {
    return root.probed().stream()
        .filter(one -> one.provider().id().equals(root.provider().id()))
        .map(ProbedProvider::facts)
        .filter(StorageFacts.class::isInstance)
        .map(StorageFacts.class::cast)
        .findFirst()
        .orElse(null);
  }

  private static ProbeResult.@Nullable Unusable misfit(
      HypervisorFacts hypervisor, RootOpener.Root root, StorageFacts storage, boolean split) {
    String id = root.provider().id();
    boolean disks = root.role() == PluginKind.STORAGE;
    Set<Attachment.Kind> unknown = without(storage.attachments(), hypervisor.attachments());
    if (disks && !unknown.isEmpty()) {
      return unusable(
          "it takes no disks by " + list(unknown),
          "storage backend " + id + " at " + root.layout().root() + " hands out such disks",
          "use a hypervisor that takes " + list(unknown) + ", or a data root with another backend");
    }
    Set<Attachment.Kind> unmapped = without(storage.attachments(), MAPPABLE);
    boolean handler =
        hypervisor.faultHandler() && storage.features().contains(StorageFeature.REMOTE_IMAGES);
    if ((!disks || !split) && !unmapped.isEmpty() && !handler) {
      return unusable(
          "it cannot map memory images by " + list(unmapped),
          "storage backend "
              + id
              + " at "
              + root.layout().root()
              + " keeps memory images elsewhere",
          "use a hypervisor that states fault-handler, or keep memory images in a memory root with"
              + " another storage backend");
    }
    return null;
  }

  private static Set<Attachment.Kind> without(
      Set<Attachment.Kind> all, Set<Attachment.Kind> known) {
    return all.stream()
        .filter(kind -> !known.contains(kind))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Attachment.Kind.class)));
  }

  private static String list(Set<Attachment.Kind> kinds) {
    return kinds.stream().map(Attachment.Kind::toString).collect(Collectors.joining(", "));
  }

  private static ProbeResult.Unusable unusable(String reason, String detail, String remedy) {
    return new ProbeResult.Unusable(reason, detail, remedy);
  }
}
