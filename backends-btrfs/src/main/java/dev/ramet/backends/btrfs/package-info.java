// SPDX-License-Identifier: Apache-2.0
/**
 * The backend {@code btrfs}: nodes are files like those of every file backend, copied by FICLONE;
 * trees are subvolumes in a separate directory.
 *
 * <pre>
 * &lt;root&gt;/volumes/              as in {@link dev.ramet.backends}
 * &lt;root&gt;/trees/&lt;id&gt;            a subvolume
 * &lt;root&gt;/trees/.receive-…      a subvolume that is being received; removed at the next open
 * </pre>
 */
@NullMarked
package dev.ramet.backends.btrfs;

import org.jspecify.annotations.NullMarked;
