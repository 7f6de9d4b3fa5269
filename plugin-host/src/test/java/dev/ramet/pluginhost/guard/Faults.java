// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.guard;

import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import dev.ramet.pluginhost.find.Origin;
import dev.ramet.pluginhost.find.Service;
import dev.ramet.spi.hypervisor.Boot;
import dev.ramet.spi.hypervisor.KernelFormat;
import dev.ramet.spi.hypervisor.NetworkPlan;
import dev.ramet.spi.hypervisor.SavedVm;
import dev.ramet.spi.hypervisor.VmIdentity;
import dev.ramet.spi.hypervisor.VmSpec;
import dev.ramet.spi.memory.GuestMemory;
import dev.ramet.spi.memory.MemorySource;
import dev.ramet.spi.storage.Durability;
import dev.ramet.spi.storage.NodeId;
import dev.ramet.spi.storage.image.CopyProgress;
import dev.ramet.spi.storage.image.ImageFormat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Plugin objects that fail, and calls of every method of a contract. */
final class Faults {
  static final VmSpec SPEC =
      new VmSpec(
          "vm",
          Path.of("/nowhere"),
          1,
          1 << 20,
          new Boot(Map.of(KernelFormat.BZIMAGE, Path.of("/kernel")), null, ""),
          List.of(),
          new NetworkPlan.User("127.0.0.1", List.of(), false),
          null);
  static final SavedVm SAVED =
      new SavedVm(
          Path.of("/devices"),
          new MemorySource.MappedImage(Path.of("/image")),
          new VmIdentity("acme", "1", Map.of()));

  private static final Map<Class<?>, Object> ARGUMENTS =
      mapOf(
          NodeId.class,
          NodeId.of("n"),
          long.class,
          1L,
          int.class,
          1,
          Path.class,
          Path.of("/nowhere"),
          Durability.class,
          Durability.DURABLE,
          Duration.class,
          Duration.ofSeconds(1),
          VmSpec.class,
          SPEC,
          SavedVm.class,
          SAVED,
          GuestMemory.class,
          new GuestMemory(1, 1 << 20, List.of()),
          double.class,
          1.0,
          boolean.class,
          true,
          ImageFormat.class,
          ImageFormat.RAW,
          CopyProgress.class,
          CopyProgress.NONE,
          Consumer.class,
          (Consumer<Object>) found -> {});

  private static Map<Class<?>, Object> mapOf(Object... pairs) {
    Map<Class<?>, Object> map = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((Class<?>) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private Faults() {}

  /** Returns a guard for the plugin {@code acme}. */
  static Guard guard() {
    return new Guard(
        new Service.Found(
            Service.ALL.get(0),
            "acme",
            new Object(),
            null,
            new Origin("acme", "acme.jar", "com.acme", "1", "")));
  }

  /** The ways in which a call fails; the last is allowed by the contract. */
  enum Kind {
    EXCEPTION,
    ERROR,
    NULL,
    KNOWN
  }

  /** Returns an object of which every call fails. */
  static <T> T of(Class<T> type, Kind kind) {
    return proxy(type, method -> fail(kind));
  }

  /** Returns an object of which one call fails; the others are passed on to {@code other}. */
  static <T> T of(Class<T> type, Kind kind, String call, T other) {
    return type.cast(
        Proxy.newProxyInstance(
            Faults.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals(call)) {
                return fail(kind);
              }
              return method.invoke(other, arguments);
            }));
  }

  private static @Nullable Object fail(Kind kind) {
    switch (kind) {
      case EXCEPTION -> throw new IllegalStateException("a defect");
      case ERROR -> throw new NoClassDefFoundError("a defect");
      case KNOWN -> throw new RametException(ErrorCode.CONFLICT, "busy");
      case NULL -> {
        return null;
      }
    }
    throw new IllegalArgumentException(kind.name());
  }

  /** Returns an object with the given results by method name. */
  static <T> T answering(Class<T> type, Map<String, ?> answers) {
    return answering(type, answers::get);
  }

  /** Returns an object whose results are computed from the method name at each call. */
  static <T> T answering(Class<T> type, Function<String, @Nullable Object> answers) {
    return proxy(type, method -> answers.apply(method.getName()));
  }

  /** Returns an object that records its calls and returns empty results. */
  static <T> T recording(Class<T> type, List<String> calls) {
    return proxy(
        type,
        method -> {
          calls.add(method.getName());
          return method.getReturnType() == Optional.class ? Optional.empty() : null;
        });
  }

  /** Returns an object with a capability, of which every call fails. */
  static Object with(Class<?> contract, Class<?> capability, Kind kind) {
    return Proxy.newProxyInstance(
        Faults.class.getClassLoader(),
        new Class<?>[] {contract, capability},
        (proxy, method, arguments) -> fail(kind));
  }

  /** Returns an object with a capability and the given results by method name. */
  static Object answering(Class<?> contract, Class<?> capability, Map<String, ?> answers) {
    return Proxy.newProxyInstance(
        Faults.class.getClassLoader(),
        new Class<?>[] {contract, capability},
        (proxy, method, arguments) -> answers.get(method.getName()));
  }

  private static <T> T proxy(Class<T> type, Function<Method, @Nullable Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            Faults.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.apply(method)));
  }

  /** Calls a method with arguments of the right types. */
  static @Nullable Object call(Object object, Method method) throws Throwable {
    try {
      method.setAccessible(true);
      Object[] arguments =
          List.of(method.getParameterTypes()).stream().map(ARGUMENTS::get).toArray();
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
