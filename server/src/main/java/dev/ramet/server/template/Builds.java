// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.server.settings.ServerSettings;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The template builds of this host, as far as they are remembered, also over its restarts.
 * Thread-safe.
 */
@Singleton
public final class Builds {
  private static final Logger LOG = LoggerFactory.getLogger(Builds.class);
  private static final int MOST = 100;

  private final BuildFile file;
  private final Map<String, Build> byId = new LinkedHashMap<>();
  private boolean read;

  @Inject
  Builds(ServerSettings settings) {
    this(new BuildFile(settings.dataRoot().resolve(BuildFile.NAME)));
  }

  Builds(BuildFile file) {
    this.file = file;
  }

  /**
   * Remembers one, durably, and forgets the oldest that is not under way.
   *
   * @throws RametException {@code HOST_UNFIT} when it cannot be written; it is not remembered then
   */
  public synchronized void add(Build build) {
    readOnce();
    Map<String, Build> before = new LinkedHashMap<>(byId);
    byId.put(build.id(), build);
    Iterator<Build> oldest = byId.values().iterator();
    while (byId.size() > MOST && oldest.hasNext()) {
      if (!oldest.next().underWay()) {
        oldest.remove();
      }
    }
    try {
      write();
    } catch (IOException e) {
      byId.clear();
      byId.putAll(before);
      throw new RametException(
          ErrorCode.HOST_UNFIT, "cannot remember a build: " + e.getMessage(), e);
    }
  }

  /** A build is further than it was; who asks this host is told so even if it cannot be written. */
  public synchronized void changed() {
    try {
      write();
    } catch (IOException e) {
      LOG.warn("cannot write what became of template builds: {}", e.toString());
    }
  }

  private void write() throws IOException {
    file.write(byId.values().stream().map(Build::saved).toList());
  }

  /** Not before somebody asks: by then this process is the only one that has the data root. */
  private void readOnce() {
    if (read) {
      return;
    }
    read = true;
    try {
      for (SavedBuild saved : file.read()) {
        byId.put(saved.buildID(), new Build(saved));
      }
    } catch (IOException e) {
      LOG.warn("template builds before this start are forgotten: {}", e.toString());
    }
  }

  /**
   * The build with this id.
   *
   * @throws RametException {@code NOT_FOUND} when there is none of that template
   */
  public synchronized Build get(String templateId, String id) {
    readOnce();
    Build found = byId.get(id);
    if (found == null || !found.templateId().equals(templateId)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "template " + templateId + " has no build " + id,
          "only the last " + MOST + " builds are remembered: build again",
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
    readOnce();
    if (byId.values().stream().noneMatch(build -> build.templateId().equals(templateId))) {
      throw RametException.notFound("template being built", templateId);
    }
  }
}
