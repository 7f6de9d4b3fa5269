// SPDX-License-Identifier: Apache-2.0
/** Settings: what is set on a host, by whom, and whether it is right. */
module dev.ramet.config {
  requires transitive dev.ramet.spi;
  requires org.yaml.snakeyaml;
  requires static transitive org.jspecify;

  exports dev.ramet.config;
}
