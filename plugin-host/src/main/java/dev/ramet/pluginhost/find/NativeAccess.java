// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Grants native access to the modules of a layer. The command line option {@code
 * --enable-native-access} covers the host's modules only. Modules of a layer need {@code
 * ModuleLayer.Controller.enableNativeAccess}, which exists since Java 22 and whose caller must have
 * native access itself. It is called by reflection, because this code is compiled for Java 17.
 */
final class NativeAccess {
  static final String GRANTED = "granted";
  static final String NOT_GRANTED = "not granted";

  private static final int FIRST_RESTRICTING = 22;

  private NativeAccess() {}

  /**
   * Grants native access if asked to.
   *
   * @return the resulting state, for people
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
      // The host was not started by its launcher, which gives the engine native access.
      return "cannot be granted: " + e.getCause();
    } catch (ReflectiveOperationException e) {
      return "cannot be granted: " + e;
    }
  }
}
