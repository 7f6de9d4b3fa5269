// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/** Operations on templates. A template is named by its id or by its name. */
public interface Templates {
  /**
   * Builds a template from a recipe that ships with Ramet and captures it warm. When the same
   * content is there already under that name, nothing is built.
   */
  Template build(BuildTemplate request, Progress progress);

  /** Makes a template of an operator's own kernel and root file system. */
  Template importImages(ImportTemplate request, Progress progress);

  /** The template with this id or name. */
  Template get(String idOrName);

  /** All templates, by name. */
  List<Template> list();

  /** Deletes a template. Sandboxes that started from it run on. */
  void delete(String idOrName);

  /** The names of the recipes that can be built. */
  List<String> recipes();
}
