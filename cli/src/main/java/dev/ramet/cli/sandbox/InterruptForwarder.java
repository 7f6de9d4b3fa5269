// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.agent.Guest;
import dev.ramet.errors.RametException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Forwards Ctrl-C to a program in a guest while open; before that program has started, Ctrl-C ends
 * this one. The JDK's only way is {@code sun.misc.Signal}, which its supported module {@code
 * jdk.unsupported} exports but the compiler warns about: hence reflection. On a runtime without it,
 * Ctrl-C ends this program and does not affect the other one.
 */
final class InterruptForwarder implements AutoCloseable {
  private static final int INTERRUPTED = 130;

  private final ExecutorService sender =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "signals");
            thread.setDaemon(true);
            return thread;
          });
  private final @Nullable Object before;
  private volatile @Nullable Guest guest;
  private volatile long pid;

  InterruptForwarder() {
    before = handle(null);
  }

  /** Sets the program that receives signals from now on. */
  void forwardTo(Guest there, long process) {
    pid = process;
    guest = there;
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
                  interrupted();
                }
                return null;
              });
      Method install = signal.getMethod("handle", signal, type);
      return install.invoke(
          null,
          signal.getConstructor(String.class).newInstance("INT"),
          handler == null ? own : handler);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private void interrupted() {
    Guest there = guest;
    if (there == null) {
      System.exit(INTERRUPTED);
      return;
    }
    sender.execute(
        () -> {
          try {
            there.signal(pid, "SIGINT");
          } catch (RametException e) {
            // The program has just ended, or the stream that shows it reports the error.
          }
        });
  }

  @Override
  public void close() {
    if (before != null) {
      handle(before);
    }
    sender.shutdown();
  }
}
