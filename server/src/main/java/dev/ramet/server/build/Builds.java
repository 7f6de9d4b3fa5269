// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.build;

import dev.ramet.api.ErrorCode;
import dev.ramet.api.RametException;
import jakarta.inject.Singleton;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The template builds of this host since it was started, as far as they are remembered.
 * Thread-safe.
 */
@Singleton
public final class Builds {
  private static final int MOST = 100;

  private final Map<String, Build> byId = new LinkedHashMap<>();

  Builds() {}

  /** Remembers one, and forgets the oldest that is not under way. */
  public synchronized void add(Build build) {
    byId.put(build.id(), build);
    Iterator<Build> oldest = byId.values().iterator();
    while (byId.size() > MOST && oldest.hasNext()) {
      if (!oldest.next().underWay()) {
        oldest.remove();
      }
    }
  }

  /**
   * The build with this id.
   *
   * @throws RametException {@code NOT_FOUND} when there is none of that template
   */
  public synchronized Build get(String templateId, String id) {
    Build found = byId.get(id);
    if (found == null || !found.templateId().equals(templateId)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "template " + templateId + " has no build " + id,
          "a host that was started anew has forgotten its builds, and what they made halfway:"
              + " build again",
          null);
    }
    return found;
  }

  /**
   * Refuses a template that no build is to make.
   *
   * @throws RametException {@code NOT_FOUND}
   */
  public synchronized void check(String templateId) {
    if (byId.values().stream().noneMatch(build -> build.templateId().equals(templateId))) {
      throw RametException.notFound("template being built", templateId);
    }
  }
}
