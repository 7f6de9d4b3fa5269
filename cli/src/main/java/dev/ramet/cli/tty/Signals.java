// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tty;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Handles one signal of this process until closed. Handlers run one after another in a thread of
 * their own. The JDK's only way is {@code sun.misc.Signal}, which its supported module {@code
 * jdk.unsupported} exports but the compiler warns about: hence reflection. On a runtime without it,
 * the signal keeps its usual effect.
 */
public final class Signals implements AutoCloseable {
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "signals");
            thread.setDaemon(true);
            return thread;
          });
  private final String name;
  private final Runnable action;
  private final @Nullable Object before;

  /**
   * Installs the handler.
   *
   * @param name the signal's name without SIG, for example {@code WINCH}
   */
  public Signals(String name, Runnable action) {
    this.name = name;
    this.action = action;
    this.before = handle(null);
  }

  /** Installs a handler, null for this object's own, and returns the previous one. */
  private @Nullable Object handle(@Nullable Object handler) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> type = Class.forName("sun.misc.SignalHandler");
      Object own =
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  worker.execute(action);
                }
                return null;
              });
      Method install = signal.getMethod("handle", signal, type);
      return install.invoke(
          null,
          signal.getConstructor(String.class).newInstance(name),
          handler == null ? own : handler);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  @Override
  public void close() {
    if (before != null) {
      handle(before);
    }
    worker.shutdown();
  }
}
