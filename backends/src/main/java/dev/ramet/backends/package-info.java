// SPDX-License-Identifier: Apache-2.0
/**
 * Storage backends whose nodes are plain files. {@link dev.ramet.backends.FileBackend} is the whole
 * of one but for a {@link dev.ramet.backends.CopyStrategy}.
 *
 * <pre>
 * &lt;root&gt;/volumes/.backend             which backend made this root
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;origin&gt;   a volume, or a volume that was sealed
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;id&gt;       a snapshot of it, or of a snapshot of it, and so on
 * &lt;root&gt;/volumes/.new-&lt;id&gt;/          a volume in the making
 * &lt;root&gt;/volumes/&lt;origin&gt;/.new-&lt;id&gt;  a snapshot in the making
 * </pre>
 *
 * <p>A volume or a fork starts a directory of its own; a snapshot goes where what it was taken of
 * is. So every descendant snapshot lies flat under its ultimate ancestor, which a path alone tells,
 * and no chain of parents has to be kept or walked. A file with the sticky bit (01600), which means
 * nothing else on a file, is a snapshot; one without it (0600) is a volume.
 */
@NullMarked
package dev.ramet.backends;

import org.jspecify.annotations.NullMarked;
