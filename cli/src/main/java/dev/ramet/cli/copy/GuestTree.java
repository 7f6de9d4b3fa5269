// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.agent.Guest;
import dev.ramet.cli.http.Json;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Paths of files in a guest. */
final class GuestTree {
  private final Guest guest;

  GuestTree(Guest guest) {
    this.guest = guest;
  }

  /**
   * An existing file or folder.
   *
   * @param path its absolute path
   * @param folder whether it is a folder, or a link to one
   */
  record Entry(String path, boolean folder) {}

  /** Returns what is at a path; null if nothing is. */
  @Nullable Entry find(String path) {
    try {
      JsonNode entry = Json.tree(call("Stat", Map.of("path", path))).path("entry");
      String absolute = entry.path("path").asText(path);
      boolean folder = entry.path("type").asText("").equals("FILE_TYPE_DIRECTORY");
      return new Entry(absolute, folder || leadsToFolder(entry, absolute));
    } catch (RametException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  /** Returns whether an entry is a link to a folder, which can be listed. */
  private boolean leadsToFolder(JsonNode entry, String absolute) {
    if (entry.path("symlinkTarget").asText("").isEmpty()) {
      return false;
    }
    try {
      call("ListDir", Map.of("path", absolute, "depth", 1));
      return true;
    } catch (RametException e) {
      return false; // a link to a file, or to nothing
    }
  }

  /** Makes a folder and its parents, if they are not there. */
  void makeFolder(String path) {
    try {
      call("MakeDir", Map.of("path", path));
    } catch (RametException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  void move(String from, String to) {
    call("Move", Map.of("source", from, "destination", to));
  }

  void remove(String path) {
    call("Remove", Map.of("path", path));
  }

  private byte[] call(String name, Map<String, Object> request) {
    return guest.call("/filesystem.Filesystem/" + name, Json.bytes(request));
  }

  /** Returns the folder that a path is in. */
  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "." : slash == 0 ? "/" : path.substring(0, slash);
  }

  /** Returns the last part of a path. */
  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Returns a path without the slashes at its end, and without {@code /.}. */
  static String withoutEnd(String path) {
    String end = path;
    while (end.length() > 1 && (end.endsWith("/") || end.endsWith("/."))) {
      end = end.substring(0, end.length() - 1);
    }
    return end;
  }
}
