// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.plugin;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * What an object that a plugin opened can do beyond its contract: a capability is an interface of
 * the contract's package that the object implements if it can. Thread-safe.
 */
public final class Capability {
  private Capability() {}

  /**
   * A capability of an object, kept to its contract as the object itself is (see {@link Guard}).
   *
   * @return null when it has none
   */
  public static <C> @Nullable C of(Object object, Class<C> capability) {
    if (!(object instanceof Guarded guarded)) {
      return capability.isInstance(object) ? capability.cast(object) : null;
    }
    Object plugged = guarded.plugged();
    if (!capability.isInstance(plugged)) {
      return null;
    }
    InvocationHandler handler =
        (proxy, method, args) -> call(plugged, guarded.guard(), method, args);
    return capability.cast(
        Proxy.newProxyInstance(capability.getClassLoader(), new Class<?>[] {capability}, handler));
  }

  private static @Nullable Object call(
      Object plugged, Guard guard, Method method, Object @Nullable [] arguments) {
    Object answer;
    try {
      answer = method.invoke(plugged, arguments);
    } catch (InvocationTargetException e) {
      throw guard.failed(method.getName(), e.getTargetException());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // the contract's packages are exported
    }
    boolean nothing = method.getReturnType() == void.class;
    return nothing ? null : guard.present(method.getName(), answer);
  }
}
