// SPDX-License-Identifier: Apache-2.0
/**
 * Storage backends whose nodes are plain files. {@link dev.ramet.backends.FileBackend} is complete
 * except for a {@link dev.ramet.backends.copy.CopyStrategy}.
 *
 * <pre>
 * &lt;root&gt;/volumes/.backend             which backend created this root
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;origin&gt;   a volume, or a volume that was sealed
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;id&gt;       a snapshot of it, or of a snapshot of it,
 * and so on
 * &lt;root&gt;/volumes/.new-&lt;id&gt;/          an unfinished volume
 * &lt;root&gt;/volumes/&lt;origin&gt;/.new-&lt;id&gt;  an unfinished snapshot
 * </pre>
 *
 * <p>A volume or a fork has its own directory; a snapshot is stored in the directory of its source.
 * So every descendant snapshot is stored flat under its ultimate ancestor, which the path alone
 * shows, and no chain of parents has to be kept or walked. A file with the sticky bit (01600),
 * which means nothing else on a file, is a snapshot; one without it (0600) is a volume.
 */
@NullMarked
package dev.ramet.backends;

import org.jspecify.annotations.NullMarked;
