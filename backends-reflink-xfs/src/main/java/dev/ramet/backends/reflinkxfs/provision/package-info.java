// SPDX-License-Identifier: Apache-2.0
/**
 * A pool for {@code reflink-xfs} on a host whose data root has no reflinks: XFS in a sparse image
 * file, mounted through a loop device.
 *
 * <pre>
 * &lt;data root&gt;/pool.xfs.img       the image
 * &lt;data root&gt;/pool/              where it is mounted: the backend's root
 * &lt;data root&gt;/.pool              the marker: who created the image, and its XFS UUID
 * &lt;data root&gt;/.pool.lock         exists and is held while any of these is changed
 * &lt;data root&gt;/.pool.xfs.img.new  an unfinished image
 * </pre>
 */
@NullMarked
package dev.ramet.backends.reflinkxfs.provision;

import org.jspecify.annotations.NullMarked;
