// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import dev.ramet.server.config.SettingCatalog.Part;
import java.util.List;

/** The settings of the engine and of the built-in plugins. */
final class EngineCatalogue {
  private EngineCatalogue() {}

  static void addTo(List<Setting> list) {
    storage(new Part(list, "storage"));
    memory(new Part(list, "memory"));
    machines(new Part(list, "machines"));
    plugins(new Part(list, "plugins"));
    builtIn(new Part(list, "built-in plugins"));
  }

  private static void storage(Part part) {
    part.add(
        part.setting(
            "ramet.storage-provision",
            Types.constant("AUTO", "OFF"),
            "AUTO",
            "AUTO: as root, on a file system that cannot share blocks, make and mount an XFS pool"
                + " inside the data root. OFF: never; such a data root then copies bytes."));
    part.add(
        part.setting(
                "ramet.storage-pool-size",
                Types.number(1, Long.MAX_VALUE),
                null,
                "Size of that pool. It is sparse.")
            .in("bytes")
            .orElse("what suits the host")
            .like("68719476736"));
    part.add(
        part.setting("ramet.storage-backend", Types.ID, null, "Storage backend of a new data root.")
            .orElse("the best that works there")
            .like("reflink-xfs"));
    part.add(
        part.setting(
                "ramet.storage-memory-root",
                Types.FILE,
                null,
                "Directory for the memory images of a new data root: another file system than the"
                    + " disks', with a storage backend of its own. What was chosen is recorded and"
                    + " stays.")
            .orElse("in the data root")
            .like("/srv/ramet-memory"));
    part.add(
        part.setting("ramet.storage-memory-backend", Types.ID, null, "Storage backend there.")
            .orElse("the best that works there")
            .like("btrfs"));
    part.add(
        part.setting(
            "ramet.cache-dir",
            Types.FILE,
            "/var/cache/ramet",
            "Where template recipes keep downloaded packages."));
    part.add(
        part.setting(
            "ramet.guest-dir",
            Types.FILE,
            Setting.HOME + "/share/guest",
            "Directory of the guest agent and the template recipes."));
  }

  private static void memory(Part part) {
    part.add(
        part.setting("ramet.memory-mode", Types.ID, null, "Memory mode to force for every capture.")
            .orElse("the best for each")
            .like("incremental"));
    part.add(
        part.setting(
            "ramet.memory-volumes",
            Types.constant("REBUILD", "IN_PLACE"),
            "REBUILD",
            "Where the memory of a snapshot that replaces another one is written. REBUILD: into a"
                + " volume of its own; the other one is deleted once that is ready. IN_PLACE: only"
                + " changed pages, into the volume of the other one, where the capture builds on"
                + " it and nobody else reads it; a crash meanwhile loses both. For storage that"
                + " copies whole images."));
    part.add(
        part.setting(
                "ramet.precopy-rounds",
                Types.number(0, 100),
                "5",
                "Before a pause, written pages are copied while the guest runs, in rounds, as long"
                    + " as that shortens the pause; only where the memory mode can track a running"
                    + " guest. At most so many rounds; 0 is never.")
            .in("rounds"));
    part.add(
        part.setting(
                "ramet.precopy-bytes",
                Types.number(1, Long.MAX_VALUE),
                null,
                "At most so much is copied before a pause.")
            .in("bytes")
            .orElse("twice the guest's memory")
            .like("2147483648"));
    part.add(
        part.setting(
            "ramet.precopy-time",
            Types.DURATION,
            "30s",
            "At most so long is copied before a pause."));
    part.add(
        part.setting(
            "ramet.working-set",
            Types.constant("ON", "OFF"),
            "ON",
            "ON: after the first restore of a snapshot or template, the pages of its memory image"
                + " that the guest has used are recorded, and later restores read them into the"
                + " page cache while they begin. OFF: neither; what is recorded stays."));
    part.add(
        part.setting(
            "ramet.working-set-after",
            Types.DURATION,
            "2s",
            "How long after the guest's agent answered those pages are looked at."));
    part.add(
        part.setting(
            "ramet.verify-captures",
            Types.SWITCH,
            "false",
            "Compare every capture with all of the paused machine's memory; one that differs"
                + " fails. The pause then grows with the memory: for tests, and for an operator"
                + " who wants to be sure of a new kernel."));
  }

  private static void machines(Part part) {
    part.add(
        part.setting("ramet.hypervisor", Types.ID, null, "Hypervisor.")
            .orElse("the best that works here")
            .like("qemu"));
    part.add(
        part.setting(
            "ramet.accelerator",
            Types.choice("auto", "kvm", "tcg"),
            "auto",
            "auto uses KVM when a guest really makes progress on it, else TCG. kvm and tcg force"
                + " one."));
    part.add(
        part.setting(
            "ramet.outbound",
            Types.SWITCH,
            "false",
            "Whether guests may open connections when the request for them does not say."));
    part.add(
        part.setting(
                "ramet.outbound-never",
                Types.NETWORKS,
                null,
                "Addresses and networks that no guest reaches, whatever a request allows. Their"
                    + " name servers are reached all the same, at port 53. Set to nothing: guests"
                    + " that may open connections reach this host itself.")
            .orElse(
                "127.0.0.0/8, 0.0.0.0/8, 169.254.0.0/16, ::/127 and fe80::/10: this host itself")
            .like("127.0.0.0/8,10.0.0.0/8"));
    part.add(
        part.setting(
                "ramet.outbound-authorities",
                Types.FILE,
                null,
                "A PEM file of authorities that the host trusts, beside those that Java does, where"
                    + " it puts headers into requests of guests to hosts that speak TLS.")
            .orElse("those that Java trusts")
            .like("/etc/ramet/authorities.pem"));
    part.add(
        part.setting(
                "ramet.clone-concurrency",
                Types.number(1, 10_000),
                null,
                "How many clones start at the same time when the request does not say.")
            .in("machines")
            .orElse("one for each CPU, at least 2")
            .like("4"));
    part.add(
        part.setting(
            "ramet.start-timeout", Types.DURATION, "60s", "How long a machine may take to start."));
    part.add(
        part.setting(
            "ramet.agent-timeout",
            Types.DURATION,
            "120s",
            "How long a booting guest may take until its agent answers."));
  }

  private static void plugins(Part part) {
    part.add(
        part.setting(
            "ramet.plugins-dir",
            Types.FILE,
            Setting.HOME + "/plugins",
            "Plugins of third parties: each folder in here is one."));
    part.add(
        part.setting(
                "ramet.plugins-required",
                Types.FOLDERS,
                null,
                "Folders whose plugin must be taken: if it is refused, the host does not start.")
            .orElse("none")
            .like("acme-storage"));
    part.add(
        part.setting(
                "ramet.plugins-native-access",
                Types.FOLDERS,
                null,
                "Folders whose plugin may call native code, from Java 22 on; older ones cannot"
                    + " keep it from any.")
            .orElse("none")
            .like("acme-storage"));
    part.add(
        part.setting(
                "ramet.plugins-preferred",
                Types.IDS,
                null,
                "Ids of plugins that go before all others of their kind, where they work.")
            .orElse("none")
            .like("acme-xfs"));
  }

  private static void builtIn(Part part) {
    part.add(
        part.setting(
                SettingCatalog.PLUGIN + "qemu.binary",
                Types.FILE,
                null,
                "The program of QEMU: a path, or a name to look for in PATH.")
            .orElse("qemu-system-x86_64")
            .like("/opt/qemu/bin/qemu-system-x86_64"));
    part.add(
        part.setting(
                SettingCatalog.PLUGIN + "dm-snapshot.merge-bytes-per-second",
                Types.number(1, Long.MAX_VALUE),
                null,
                "How fast layers are merged in the background.")
            .in("bytes a second")
            .orElse("67108864")
            .like("67108864"));
    part.add(
        part.setting(
                SettingCatalog.PLUGIN + "dm-snapshot.reserve-bytes",
                Types.number(1, Long.MAX_VALUE),
                null,
                "What is kept free on the file system.")
            .in("bytes")
            .orElse("a sixteenth of it, at most 67108864")
            .like("67108864"));
  }
}
