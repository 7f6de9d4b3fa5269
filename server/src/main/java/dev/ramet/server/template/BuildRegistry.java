// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.template;

import dev.ramet.engine.EngineConfig;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.settings.Settings;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recent template builds of this host, kept across restarts. Thread-safe. */
@Singleton
public final class BuildRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(BuildRegistry.class);
  private static final int MAX = 100;

  private final BuildFile file;
  private final Map<String, TemplateBuild> byId = new LinkedHashMap<>();
  private boolean read;

  @Inject
  BuildRegistry(Settings settings) {
    this(new BuildFile(settings.get(EngineConfig.DATA_ROOT).resolve(BuildFile.NAME)));
  }

  BuildRegistry(BuildFile file) {
    this.file = file;
  }

  /**
   * Adds a build durably, and removes the oldest one that is not running.
   *
   * @throws RametException {@code HOST_UNFIT} when it cannot be written; it is not added then
   */
  public synchronized void add(TemplateBuild build) {
    readOnce();
    Map<String, TemplateBuild> before = new LinkedHashMap<>(byId);
    byId.put(build.id(), build);
    Iterator<TemplateBuild> oldest = byId.values().iterator();
    while (byId.size() > MAX && oldest.hasNext()) {
      if (!oldest.next().underWay()) {
        oldest.remove();
      }
    }
    try {
      write();
    } catch (IOException e) {
      byId.clear();
      byId.putAll(before);
      throw new RametException(ErrorCode.HOST_UNFIT, "cannot record a build: " + e.getMessage(), e);
    }
  }

  /** Saves a change of a build. If that fails, this host still reports the new state. */
  public synchronized void changed() {
    try {
      write();
    } catch (IOException e) {
      LOG.warn("cannot record the outcome of template builds: {}", e.toString());
    }
  }

  private void write() throws IOException {
    file.write(byId.values().stream().map(TemplateBuild::saved).toList());
  }

  /** Reads the file at first use: by then this process has the data root to itself. */
  private void readOnce() {
    if (read) {
      return;
    }
    read = true;
    try {
      for (SavedBuild saved : file.read()) {
        byId.put(saved.buildID(), new TemplateBuild(saved));
      }
    } catch (IOException e) {
      LOG.warn(
          "cannot read the template builds before this start, which are now forgotten: {}",
          e.toString());
    }
  }

  /**
   * Returns the build with this id.
   *
   * @throws RametException {@code NOT_FOUND} when that template has none
   */
  public synchronized TemplateBuild get(String templateId, String id) {
    readOnce();
    TemplateBuild found = byId.get(id);
    if (found == null || !found.templateId().equals(templateId)) {
      throw new RametException(
          ErrorCode.NOT_FOUND,
          "template " + templateId + " has no build " + id,
          "the host keeps only the last " + MAX + " builds: build again",
          null);
    }
    return found;
  }

  /**
   * Refuses a template that no build creates.
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
