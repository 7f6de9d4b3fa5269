// SPDX-License-Identifier: Apache-2.0
/**
 * A storage backend of block devices: for hosts whose file system cannot share blocks between
 * files.
 *
 * <pre>
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;id&gt;   a node: as long as it, with its permissions, and
 *                                 in its first block a {@code NodeRecord}; the rest is a hole
 * &lt;root&gt;/layers/.id              what makes the names of this root's devices its own
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.flat     layer n: a sparse image
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.on.&lt;p&gt;   layer n: what differs from layer p, as a copy-on-write store
 * </pre>
 *
 * <p>A node is a stack of layers, named by its top. Layers below a volume's top never change again,
 * so any number of nodes stand on them. A snapshot of a volume declares its top frozen and gives
 * the volume a new one: no data moves. Layers that nobody stands on are deleted. The generation g
 * counts how often a layer was written anew with the same content on a shorter stack.
 *
 * <p>In the kernel, a frozen layer is a read-only device-mapper device and a volume is a writable
 * one. They come into being when they are first needed, from what the files say, and a volume's
 * device keeps its number while its layers change under it.
 */
@NullMarked
package dev.ramet.backends.dmsnapshot;

import org.jspecify.annotations.NullMarked;
