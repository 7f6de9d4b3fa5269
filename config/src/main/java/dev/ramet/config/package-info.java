// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of a host. {@link dev.ramet.config.SettingCatalog} is the union of what the modules
 * and plugins declare; {@link dev.ramet.config.Configuration} reads the values of a host and finds
 * all errors in them. Nothing here needs Micronaut, so the command line can show and check a
 * configuration without starting it.
 */
@org.jspecify.annotations.NullMarked
package dev.ramet.config;
