// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.Facts;
import dev.ramet.spi.memory.Access;
import dev.ramet.spi.storage.Attachment;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The facts about a hypervisor.
 *
 * @param hardware whether guests run on the processor's virtualization; false if they are emulated
 * @param features the optional abilities
 * @param accepts the parts that machines can be made of
 * @param saves what a capture can rely on
 * @param restores what a restore needs and does
 * @param others names of further abilities, for people to read; nothing depends on them
 */
public record HypervisorFacts(
    boolean hardware,
    Set<HypervisorFeature> features,
    Accepts accepts,
    Saves saves,
    Restores restores,
    Set<String> others)
    implements Facts {
  /** Copies the sets. */
  public HypervisorFacts {
    features = Set.copyOf(features);
    others = Set.copyOf(others);
  }

  /**
   * The parts that machines can be made of.
   *
   * @param networks the kinds of networks; the host plans one of them
   * @param kernels the formats of kernels
   * @param attachments the kinds of attachments that it takes as disks
   */
  public record Accepts(
      Set<NetworkPlan.Kind> networks, Set<KernelFormat> kernels, Set<Attachment.Kind> attachments) {
    /** Copies the sets. */
    public Accepts {
      networks = Set.copyOf(networks);
      kernels = Set.copyOf(kernels);
      attachments = Set.copyOf(attachments);
    }
  }

  /**
   * The guarantees that a capture can rely on.
   *
   * @param memoryStable whether guest memory does not change while devices are saved. Without it,
   *     the host reads memory only after the save, when it no longer changes until the resume
   * @param tracking the ways to find changed pages that machines allow or offer. Every {@link
   *     dev.ramet.spi.memory.GuestMemory} has what is stated here
   */
  public record Saves(boolean memoryStable, Set<Access> tracking) {
    /** Copies the set. */
    public Saves {
      tracking = Set.copyOf(tracking);
    }
  }

  /**
   * The needs and the effects of a restore.
   *
   * @param stateNeeds the properties of this hypervisor that a saved device state depends on, by
   *     name, such as its version. Two hypervisors with the same id and the same properties can
   *     restore each other's states; templates that were saved with other properties are built
   *     again
   * @param samePaths whether a restore opens disks by the paths that the saved machine had. The
   *     host then links each disk in the machine's directory, see {@link Disk#name}
   * @param newGenerationId whether a restored guest gets a new generation id before its first
   *     instruction, so that its kernel reseeds its random numbers by itself. Without it, the host
   *     has the guest's agent reseed them before any other request reaches the guest
   * @param clock the guest's clock right after a restore
   */
  public record Restores(
      Map<String, String> stateNeeds, boolean samePaths, boolean newGenerationId, Clock clock) {
    /** Copies the map. */
    public Restores {
      stateNeeds = Map.copyOf(stateNeeds);
    }
  }

  /** The time that a restored guest's clock shows until its agent sets it. */
  public enum Clock {
    /** The time of the save, from which it goes on. */
    SAVED,
    /** The present time. */
    PRESENT
  }

  /** Returns the properties that a saved device state depends on. */
  public Map<String, String> stateNeeds() {
    return restores.stateNeeds();
  }

  /** Returns the kinds of attachments that it takes as disks. */
  public Set<Attachment.Kind> attachments() {
    return accepts.attachments();
  }

  /** Returns whether every guest receives its machine's secret. */
  public boolean guestSecret() {
    return features.contains(HypervisorFeature.GUEST_SECRET);
  }

  /** Returns whether machines are also restored from a fault handler. */
  public boolean faultHandler() {
    return features.contains(HypervisorFeature.FAULT_HANDLER);
  }

  @Override
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(others);
    features.forEach(feature -> names.add(feature.toString()));
    return names;
  }
}
