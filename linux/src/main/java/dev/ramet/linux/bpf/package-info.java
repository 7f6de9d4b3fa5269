// SPDX-License-Identifier: Apache-2.0
/** BPF programs and maps, and programs attached to control groups. */
@NullMarked
package dev.ramet.linux.bpf;

import org.jspecify.annotations.NullMarked;
