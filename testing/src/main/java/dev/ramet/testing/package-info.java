// SPDX-License-Identifier: Apache-2.0
/**
 * Support for the tests of all modules: file systems on loop devices, a process to trace, and the
 * features that a test needs of its host.
 */
@NullMarked
package dev.ramet.testing;

import org.jspecify.annotations.NullMarked;
