// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

import java.util.List;

/**
 * Operations on templates. Several may have one name as versions of it, told apart by tags: a
 * reference is an id, a name, which is that of its version tagged {@code default}, or a name and a
 * tag with a colon between them. A tag that is behind an id is looked for among the versions of its
 * name. Thread-safe. What is not there is {@code NOT_FOUND}, with a remedy that names the tags that
 * are.
 */
public interface Templates {
  /**
   * Builds a template from a recipe that ships with Ramet and captures it warm. When the same
   * content is there already under that name and tag, nothing is built. Else the tag moves to the
   * new one, and a version that has lost its last tag so gives way.
   */
  Template build(BuildTemplate request, Progress progress);

  /**
   * Makes a template of a container image: boots it, starts what the image starts, waits until that
   * is ready, and captures it warm. What has that name and tag is treated as by {@link #build}.
   */
  Template buildImage(ImageTemplate request, Progress progress);

  /** An id for {@link DerivedTemplate}, which nothing else gets. */
  String newId();

  /**
   * Makes a template of another by steps that are done in a machine of it, which nobody else sees;
   * then starts what is to be started, waits until that is ready, and captures it warm. A failure
   * leaves nothing behind, and all tags where they were. At the end they move to the new one, and a
   * version that has lost its last tag so gives way.
   *
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when a step fails; its message
   *     holds the end of what the step said
   */
  Template derive(DerivedTemplate request, BuildLog log);

  /**
   * Makes a template of an operator's own kernel and root file system.
   *
   * @throws dev.ramet.errors.RametException {@code ALREADY_EXISTS} when there is one of that name
   *     and tag
   */
  Template importImages(ImportTemplate request, Progress progress);

  /** The template that is meant. */
  Template get(String reference);

  /** All templates, by name. */
  List<Template> list();

  /** All templates that share the name of this one, the youngest first, with tags or without. */
  List<Template> versions(String reference);

  /** The tags of all templates that share the name of this one, in order. */
  List<TemplateTag> tags(String reference);

  /**
   * Gives a template tags, which move to it from those of its name that have them. One that loses
   * its last tag so stays, and is reached by its id.
   *
   * @param tags 1 to 1000
   * @return the template with its tags
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} when a tag is none; nothing
   *     has changed then
   */
  Template tag(String reference, List<String> tags);

  /**
   * Takes tags from the templates that share the name of this one. Those stay.
   *
   * @param tags 1 to 1000
   * @throws dev.ramet.errors.RametException {@code NOT_FOUND} also when one of the tags is not
   *     there, {@code INVALID_ARGUMENT} when it is none; nothing has changed then
   */
  void untag(String reference, List<String> tags);

  /**
   * Deletes a template, or, where it is meant by a name without a tag, all that share the name.
   * Sandboxes that started from it run on.
   */
  void delete(String reference);

  /** The names of the recipes that can be built. */
  List<String> recipes();
}
