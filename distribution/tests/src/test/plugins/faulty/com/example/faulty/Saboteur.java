// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.RunningVm;
import dev.ramet.spi.hypervisor.SavingVm;
import dev.ramet.spi.hypervisor.PausedVm;
import dev.ramet.spi.memory.MemoryTracker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.BiConsumer;

/**
 * Stands before something of a plugin, and breaks the call that it is told to break. What is to be
 * broken is a system property: the test and this plugin share no class but those of the JDK.
 */
final class Saboteur {
  private static final List<Class<?>> KEPT =
      List.of(SavingVm.class, PausedVm.class, RunningVm.class, MemoryTracker.class);

  private Saboteur() {}

  /** The host's own provider with this id. */
  static <P extends Provider<?>> P real(ServiceLoader<P> all, String id) {
    return all.stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** Stands before {@code real}. */
  static <T> T before(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            Saboteur.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(type, real, method, arguments)));
  }

  @SuppressWarnings("unchecked")
  private static Object call(Class<?> type, Object real, Method method, Object[] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(real, arguments);
    }
    String name = type.getSimpleName() + "." + method.getName();
    Object observer = System.getProperties().get("ramet.test.calls");
    if (observer != null) {
      ((BiConsumer<String, Boolean>) observer)
          .accept(name, !method.getReturnType().isPrimitive());
    }
    String fault = System.getProperty("ramet.test.fault", "");
    if (!fault.startsWith(name + ":")) {
      return invoke(real, method, arguments);
    }
    System.clearProperty("ramet.test.fault");
    switch (fault.substring(name.length() + 1)) {
      case "throw":
        throw new IllegalStateException("sabotage of " + name);
      case "error":
        throw new AssertionError("sabotage of " + name);
      case "after":
        invoke(real, method, arguments);
        throw new IllegalStateException("sabotage after " + name);
      case "null":
        return null;
      default:
        throw new IllegalArgumentException(fault);
    }
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return kept(method.invoke(real, arguments));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Stands before what a call answers as well. */
  private static Object kept(Object answer) {
    if (answer instanceof Optional<?> optional) {
      return optional.map(Saboteur::kept);
    }
    for (Class<?> type : KEPT) {
      if (type.isInstance(answer)) {
        return wrap(type, answer);
      }
    }
    return answer;
  }

  private static <T> T wrap(Class<T> type, Object answer) {
    return before(type, type.cast(answer));
  }
}
