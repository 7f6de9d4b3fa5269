// SPDX-License-Identifier: Apache-2.0
/**
 * The files of a guest's directories, as its agent knows them: lists by content, changes between
 * two states, and writing back. Only a machine's own host may ask.
 */
@NullMarked
package dev.ramet.agent.workspace;

import org.jspecify.annotations.NullMarked;
