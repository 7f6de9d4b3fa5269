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

  /**
   * Makes a template of a container image: boots it, starts what the image starts, waits until that
   * is ready, and captures it warm. When the same content is there already under that name, nothing
   * is built.
   */
  Template buildImage(ImageTemplate request, Progress progress);

  /** An id for {@link DerivedTemplate}, which nothing else gets. */
  String newId();

  /**
   * Makes a template of another by steps that are done in a machine of it, which nobody else sees;
   * then starts what is to be started, waits until that is ready, and captures it warm. A failure
   * leaves nothing behind, and the template of that name as it was.
   *
   * @throws dev.ramet.api.RametException {@code INVALID_ARGUMENT} when a step fails; its message
   *     holds the end of what the step said
   */
  Template derive(DerivedTemplate request, BuildLog log);

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
