// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * The end of a machine.
 *
 * @param requested whether {@link RunningVm#kill} ended it
 * @param detail one sentence for people, with the last lines of the log if the end was not
 *     requested
 */
public record VmExit(boolean requested, String detail) {}
