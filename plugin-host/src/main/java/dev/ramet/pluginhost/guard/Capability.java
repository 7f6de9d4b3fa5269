// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Node;
import dev.ramet.spi.storage.NodeId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks up capabilities of objects that plugins open: optional interfaces from the package of the
 * object's contract, which the object implements if it can. Thread-safe.
 */
public final class Capability {
  private Capability() {}

  /**
   * Returns a capability of an object. Its calls are guarded like those of the object itself (see
   * {@link Guard}).
   *
   * @return null if the object does not have the capability
   */
  public static <C> @Nullable C guarded(Object object, Class<C> capability) {
    if (!(object instanceof Guarded guarded)) {
      return capability.isInstance(object) ? capability.cast(object) : null;
    }
    Object plugged = guarded.delegate();
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
    String call = method.getName();
    try {
      Object answer = method.invoke(plugged, arguments);
      return method.getReturnType() == void.class
          ? null
          : checkResult(guard, call, guard.requireNonNull(call, answer), arguments);
    } catch (InvocationTargetException e) {
      throw guard.failed(call, e.getTargetException());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // the packages of the contracts are exported
    }
  }

  /** Checks what a capability returned against the rules common to all capabilities. */
  private static Object checkResult(
      Guard guard, String call, Object answer, Object @Nullable [] arguments) {
    if (answer instanceof List<?> list) {
      try {
        return guard.requireNoNulls(call, list);
      } catch (RuntimeException | Error e) { // a list that throws while it is read
        throw guard.failed(call, e);
      }
    }
    Object place = answer instanceof MemorySource.FaultHandler one ? one.socket() : answer;
    if (place instanceof Path path && !path.isAbsolute()) {
      throw guard.contractViolation(call, path + ", which is not absolute");
    }
    if (answer instanceof Long count && count < 0) {
      throw guard.contractViolation(call, "a count of " + count);
    }
    if (answer instanceof Node node && arguments != null) {
      // If a call takes two ids, the last one is that of the new volume.
      Object asked = null;
      for (Object argument : arguments) {
        asked = argument instanceof NodeId id ? id : asked;
      }
      if (!Objects.equals(asked, node.id()) || node.kind() != Node.Kind.VOLUME) {
        throw guard.contractViolation(call, node + " for the volume " + asked);
      }
    }
    return answer;
  }
}
