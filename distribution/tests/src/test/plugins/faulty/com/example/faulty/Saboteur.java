// SPDX-License-Identifier: Apache-2.0
package com.example.faulty;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.spi.Facts;
import dev.ramet.spi.ProbeResult;
import dev.ramet.spi.Provider;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Wraps an object of a plugin, with all contracts it implements, and breaks one call on request.
 * The request is a system property, because the test and this plugin share only the JDK's classes.
 */
final class Saboteur {
  private static final String CONTRACTS = "dev.ramet.spi.";

  private Saboteur() {}

  /** Returns the host's own provider with this id. */
  static <P extends Provider<?>> P real(ServiceLoader<P> all, String id) {
    return all.stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** Returns whether these plugins claim to be better than the host's own. */
  static boolean isBetter() {
    return Boolean.getBoolean("ramet.test.better");
  }

  /** Returns a probe's result, with the claimed facts if these plugins are to be better. */
  static ProbeResult stating(Facts facts, ProbeResult result) {
    return isBetter() && result instanceof ProbeResult.Usable usable
        ? new ProbeResult.Usable(facts, usable.evidence())
        : result;
  }

  /** Wraps {@code real}. */
  static <T> T before(Class<T> type, T real) {
    return type.cast(before(real));
  }

  private static Object before(Object real) {
    Set<Class<?>> contracts = new LinkedHashSet<>();
    for (Class<?> type = real.getClass(); type != null; type = type.getSuperclass()) {
      contractsOf(type, contracts);
    }
    return Proxy.newProxyInstance(
        Saboteur.class.getClassLoader(),
        contracts.toArray(new Class<?>[0]),
        (proxy, method, arguments) -> call(real, method, arguments));
  }

  private static void contractsOf(Class<?> type, Set<Class<?>> into) {
    for (Class<?> one : type.getInterfaces()) {
      if (one.getName().startsWith(CONTRACTS)) {
        into.add(one);
      }
      contractsOf(one, into);
    }
  }

  @SuppressWarnings("unchecked")
  private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(real, arguments);
    }
    String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
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
      case "refuse":
        throw new RametException(
            ErrorCode.HOST_UNFIT, "faulty- " + name + " is refused", "ask the saboteur", null);
      default:
        throw new IllegalArgumentException(fault);
    }
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    for (int i = 0; arguments != null && i < arguments.length; i++) {
      if (arguments[i] instanceof SavedVm saved) {
        arguments[i] =
            new SavedVm(saved.devices(), saved.memory(), called("qemu", saved.identity()));
      }
    }
    try {
      return kept(method.invoke(real, arguments));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Wraps the object that a call returns as well, and gives identities this plugin's id. */
  private static Object kept(Object answer) {
    if (answer instanceof Optional<?> optional) {
      return optional.map(Saboteur::kept);
    }
    if (answer instanceof VmIdentity identity) {
      return called("faulty-hypervisor", identity);
    }
    Set<Class<?>> contracts = new LinkedHashSet<>();
    if (answer != null && !answer.getClass().isRecord()) {
      contractsOf(answer.getClass(), contracts);
    }
    return contracts.isEmpty() ? answer : before(answer);
  }

  private static VmIdentity called(String id, VmIdentity identity) {
    return new VmIdentity(id, identity.version(), identity.machine());
  }
}
