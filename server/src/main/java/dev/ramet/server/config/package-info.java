// SPDX-License-Identifier: Apache-2.0
/**
 * What an operator can set, and what is set. {@link dev.ramet.server.config.SettingCatalog}
 * describes every setting once; {@link dev.ramet.server.config.Configuration} finds the values of a
 * host and everything that is wrong with them. Nothing in here needs Micronaut, so that the command
 * line can show and check a configuration without starting it.
 */
@org.jspecify.annotations.NullMarked
package dev.ramet.server.config;
