// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.keys.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request needs. Whatever is not known to be for users is for administrators, so that a new
 * route is closed until somebody decides otherwise.
 */
final class Permissions {
  private static final Set<String> FOR_USERS = Set.of("GET", "HEAD", "DELETE");

  private Permissions() {}

  /** The scope a request needs, or null when anybody may make it. */
  static @Nullable Scope of(String method, String path) {
    String first = segment(path);
    return switch (first) {
      // Load balancers ask these, and they tell nothing but that the host is there.
      case "health", "ready" -> null;
      // What is the same on every host.
      case "openapi.json", "openapi.yaml", "docs" -> null;
      case "sandboxes", "snapshots", "operations", "secrets", "volumes" -> Scope.USER;
      // Each volume has a token of its own.
      case "volumecontent" -> null;
      // The address that a build was given to upload to is all that its client shows there.
      case "uploads" -> method.equals("PUT") ? null : Scope.ADMIN;
      // Deleting a snapshot goes through here too; what is to be deleted decides.
      case "templates" -> FOR_USERS.contains(method) ? Scope.USER : Scope.ADMIN;
      default -> Scope.ADMIN;
    };
  }

  /** The first segment of a path, without the version before it. */
  private static String segment(String path) {
    String[] segments = path.split("/", 4);
    boolean versioned = segments.length > 2 && segments[1].matches("v[0-9]");
    int index = versioned ? 2 : 1;
    return segments.length > index ? segments[index] : "";
  }
}
