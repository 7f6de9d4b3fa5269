// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the fields of a request to the host that an option or parameter fills. An error of the host
 * about one of them is shown with the option that the user typed.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RequestField {
  /** The fields, such as {@code memoryMB} or {@code network.allowOut}. */
  String[] value();
}
