// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Grants native access to the modules of a layer. The command line's {@code --enable-native-access}
 * knows the modules of the host alone; for those of a layer there is {@code
 * ModuleLayer.Controller.enableNativeAccess}, from Java 22 on, which the caller's module must have
 * itself. It is reached by reflection, as this is compiled for Java 17.
 */
final class NativeAccess {
  static final String GRANTED = "granted";
  static final String NOT_GRANTED = "not granted";

  private static final int FIRST_RESTRICTING = 22;

  private NativeAccess() {}

  /**
   * Grants it, or not.
   *
   * @return what holds from now on, for people
   */
  static String set(ModuleLayer.Controller controller, boolean grant) {
    int java = Runtime.version().feature();
    if (java < FIRST_RESTRICTING) {
      return "not restricted by Java " + java;
    }
    if (!grant) {
      return NOT_GRANTED;
    }
    try {
      Method enable = ModuleLayer.Controller.class.getMethod("enableNativeAccess", Module.class);
      for (Module module : controller.layer().modules()) {
        enable.invoke(controller, module);
      }
      return GRANTED;
    } catch (InvocationTargetException e) {
      // The host was started in another way than by its launcher, which gives the engine the right.
      return "cannot be granted: " + e.getCause();
    } catch (ReflectiveOperationException e) {
      return "cannot be granted: " + e;
    }
  }
}
