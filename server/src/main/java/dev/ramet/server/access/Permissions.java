// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.access;

import dev.ramet.keys.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The scope that each request needs. Routes not listed for users require an administrator, so a new
 * route is closed until somebody decides otherwise.
 */
final class Permissions {
  private static final Set<String> FOR_USERS = Set.of("GET", "HEAD", "DELETE");

  private Permissions() {}

  /** Returns the scope a request needs, or null when it needs no key. */
  static @Nullable Scope requiredScope(String method, String path) {
    if (path.equals("/")) {
      return null; // leads to the description
    }
    String first = segment(path);
    return switch (first) {
      // Called by load balancers; reveals only that the host runs.
      case "health", "ready" -> null;
      // The same on every host.
      case "openapi.json", "openapi.yaml", "docs" -> null;
      case "sandboxes", "snapshots", "operations", "secrets", "volumes" -> Scope.USER;
      // Each volume has a token.
      case "volumecontent" -> null;
      // The upload address given to a build is itself the credential.
      case "uploads" -> method.equals("PUT") ? null : Scope.ADMIN;
      // Deletes snapshots as well; the handler checks what is deleted.
      case "templates" -> FOR_USERS.contains(method) ? Scope.USER : Scope.ADMIN;
      default -> Scope.ADMIN;
    };
  }

  /** Returns the first segment of a path after an optional version. */
  private static String segment(String path) {
    String[] segments = path.split("/", 4);
    boolean versioned = segments.length > 2 && segments[1].matches("v[0-9]");
    int index = versioned ? 2 : 1;
    return segments.length > index ? segments[index] : "";
  }
}
