// SPDX-License-Identifier: Apache-2.0
/**
 * A storage backend on block devices, for hosts whose file system cannot share blocks between
 * files.
 *
 * <pre>
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;id&gt;   a node: has the node's size and permissions and, in its
 *                                 first block, a {@code NodeRecord}; the rest is a hole
 * &lt;root&gt;/layers/.id              a random id that makes this root's device names unique
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.flat     layer n: a sparse image
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.on.&lt;p&gt;   layer n: its differences from layer p, a copy-on-write store
 * </pre>
 *
 * <p>A node is a stack of layers, identified by its top. Layers below a volume's top never change
 * again, so any number of nodes can share them. A snapshot of a volume freezes the volume's top and
 * puts a new layer on it; no data moves. Layers without users are deleted. The generation g counts
 * how often a layer was rewritten with the same content on a shorter stack.
 *
 * <p>In the kernel, a frozen layer is a read-only device-mapper device and a volume is a writable
 * one. They are created from the files when first needed, and a volume's device keeps its number
 * while its layers change.
 */
@NullMarked
package dev.ramet.backends.dmsnapshot;

import org.jspecify.annotations.NullMarked;
