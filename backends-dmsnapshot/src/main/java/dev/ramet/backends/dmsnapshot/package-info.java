// SPDX-License-Identifier: Apache-2.0
/**
 * A storage backend of block devices, for hosts whose file system cannot share blocks between
 * files.
 *
 * <pre>
 * &lt;root&gt;/volumes/&lt;origin&gt;/&lt;id&gt;   a node: a file of the node's size and
 * permissions;
 *                                 its first block is a {@code NodeRecord}, the rest a hole
 * &lt;root&gt;/layers/.id              the id that makes the names of this root's devices unique
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.flat     layer n: a sparse image
 * &lt;root&gt;/layers/&lt;n&gt;.&lt;g&gt;.on.&lt;p&gt;   layer n: the difference from layer p, as
 * a copy-on-write store
 * </pre>
 *
 * <p>A node is a stack of layers, named by its top. Layers below a volume's top never change again,
 * so any number of nodes can use them. A snapshot of a volume freezes its top and gives the volume
 * a new one: no data moves. Layers that nothing uses are deleted. The generation g counts how often
 * a layer was rewritten with the same content on a shorter stack.
 *
 * <p>In the kernel, a frozen layer is a read-only device-mapper device and a volume is a writable
 * one. They are created from the files when they are first needed, and a volume's device keeps its
 * number while its layers change under it.
 */
@NullMarked
package dev.ramet.backends.dmsnapshot;

import org.jspecify.annotations.NullMarked;
