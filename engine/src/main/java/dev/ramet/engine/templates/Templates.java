// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.templates;

import dev.ramet.engine.IdListener;
import dev.ramet.engine.Progress;
import java.util.List;

/**
 * Operations on templates. Several versions may share a name and are distinguished by tags. A
 * reference is an id, a name (which means the version tagged {@code default}), or a name, a colon
 * and a tag. A tag after an id is looked up among the versions of that template's name. Unknown
 * references throw {@code NOT_FOUND} with a remedy that lists the existing tags. Thread-safe.
 */
public interface Templates {
  /**
   * Builds a template from a recipe that ships with Ramet and captures it warm. If a template with
   * the same content already has that name and tag, nothing is built. Otherwise the tag moves to
   * the new version, and a version that loses its last tag this way is deleted.
   */
  Template build(BuildTemplate request, Progress progress);

  /**
   * Builds a template from a container image: boots it, starts the image's command, waits until
   * that is ready, and captures it warm. An existing template of that name and tag is treated as by
   * {@link #build}.
   */
  Template buildImage(ImageTemplate request, Progress progress);

  /** Returns an unused id for a {@link DerivedTemplate}. */
  String newId();

  /**
   * Builds a template from another one by running steps in a private machine of it; then starts the
   * start command, waits until that is ready, and captures the machine warm. A failure leaves
   * nothing behind and no tag moved. On success the tags move to the new version, and a version
   * that loses its last tag this way is deleted.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when a step fails; the message
   *     holds the end of the step's output
   */
  default Template derive(DerivedTemplate request, BuildLog log) {
    return derive(request, log, IdListener.NONE);
  }

  /**
   * Builds a template like {@link #derive(DerivedTemplate, BuildLog)}.
   *
   * @param ids receives the template's id beforehand
   */
  Template derive(DerivedTemplate request, BuildLog log, IdListener ids);

  /**
   * Makes a template from an operator's own kernel and root file system.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when a template has that name
   *     and tag
   */
  default Template importImages(ImportTemplate request, Progress progress) {
    return importImages(request, progress, IdListener.NONE);
  }

  /**
   * Makes a template like {@link #importImages(ImportTemplate, Progress)}.
   *
   * @param ids receives the template's id beforehand, if the template is cold
   */
  Template importImages(ImportTemplate request, Progress progress, IdListener ids);

  /** Returns the template with this reference. */
  Template get(String reference);

  /** Returns all templates, sorted by name. */
  List<Template> list();

  /** Returns all templates that share this one's name, newest first, with or without tags. */
  List<Template> versions(String reference);

  /** Returns the tags of all templates that share this one's name, in order. */
  List<TemplateTag> tags(String reference);

  /**
   * Moves tags to a template from the other versions of its name. A version that loses its last tag
   * this way is kept and remains reachable by its id.
   *
   * @param tags 1 to 1000 tags
   * @return the template with its tags
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when a tag is invalid; nothing
   *     has changed then
   */
  Template tag(String reference, List<String> tags);

  /**
   * Removes tags from the templates that share this one's name. The templates stay.
   *
   * @param tags 1 to 1000 tags
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} also when one of the tags does not
   *     exist, {@code INVALID_ARGUMENT} when a tag is invalid; nothing has changed then
   */
  void untag(String reference, List<String> tags);

  /**
   * Deletes a template or, for a name without a tag, all templates of that name. Sandboxes that
   * started from it keep running.
   */
  void delete(String reference);

  /** Returns the names of the recipes that can be built. */
  List<String> recipes();
}
