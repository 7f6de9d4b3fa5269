// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent;

import java.io.InputStream;

/**
 * A successful response.
 *
 * @param stream its body, which the receiver closes
 * @param length the announced size in bytes, or -1 when unknown
 */
public record Answer(InputStream stream, long length) {}
