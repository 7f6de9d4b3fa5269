// SPDX-License-Identifier: Apache-2.0
package dev.ramet.agent.host;

/**
 * The end of a file in a guest.
 *
 * @param bytes its last bytes, which must not be modified
 * @param sizeBytes the file's size
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are passed on, never compared
public record FileTail(byte[] bytes, long sizeBytes) {
  private static final int MAX_DIGITS = 18;

  /**
   * Returns the end of a file as an agent sent it.
   *
   * @param range the header field {@code Content-Range}, such as {@code bytes 100-199/200} (RFC
   *     9110, section 14.4), or empty if the whole file was sent
   */
  static FileTail of(byte[] bytes, String range) {
    String size = range.substring(range.indexOf('/') + 1);
    boolean known =
        !size.isEmpty()
            && size.length() <= MAX_DIGITS
            && size.chars().allMatch(c -> c >= '0' && c <= '9');
    return new FileTail(bytes, known ? Long.parseLong(size) : bytes.length);
  }
}
