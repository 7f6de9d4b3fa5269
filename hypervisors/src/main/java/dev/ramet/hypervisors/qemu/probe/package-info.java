// SPDX-License-Identifier: Apache-2.0
/** Tries whether QEMU works on this host, with firmware of Ramet's own. */
@NullMarked
package dev.ramet.hypervisors.qemu.probe;

import org.jspecify.annotations.NullMarked;
