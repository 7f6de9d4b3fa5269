// SPDX-License-Identifier: Apache-2.0
/** Plugin host, selection, and the choreography of create, snapshot, clone and rollback. */
module dev.ramet.engine {
  requires transitive dev.ramet.pluginhost;
  requires dev.ramet.agent;
  requires dev.ramet.certificates;
  requires dev.ramet.files;
  requires transitive dev.ramet.spi;
  requires transitive dev.ramet.egress;
  requires dev.ramet.linux;
  requires com.fasterxml.jackson.databind;
  requires com.fasterxml.jackson.datatype.jsr310;
  requires com.github.benmanes.caffeine;
  requires java.net.http;
  requires static transitive org.jspecify;

  exports dev.ramet.engine;
  exports dev.ramet.engine.sandboxes;
  exports dev.ramet.engine.snapshots;
  exports dev.ramet.engine.start;
  exports dev.ramet.engine.templates;
  exports dev.ramet.engine.volumes;

  opens dev.ramet.engine.exchange to
      com.fasterxml.jackson.databind;
  opens dev.ramet.engine.root to
      com.fasterxml.jackson.databind;
  opens dev.ramet.engine.state to
      com.fasterxml.jackson.databind;
  opens dev.ramet.engine.template to
      com.fasterxml.jackson.databind;

  uses dev.ramet.spi.storage.StorageBackendProvider;
  uses dev.ramet.spi.storage.root.StorageProvisioner;
  uses dev.ramet.spi.memory.MemoryModeProvider;
  uses dev.ramet.spi.hypervisor.HypervisorProvider;
}
