// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.sandbox;

import dev.ramet.cli.http.Guest;
import dev.ramet.errors.RametException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * While open, Ctrl-C goes to a program in a guest instead of ending this one; before that program
 * has started, it ends this one. The JDK has no other way than {@code sun.misc.Signal}, which its
 * supported module {@code jdk.unsupported} exports but the compiler warns about: hence reflection.
 * On a runtime without it, Ctrl-C ends this program and leaves the other one alone.
 */
final class Interrupts implements AutoCloseable {
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

  Interrupts() {
    before = handle(null);
  }

  /** From now on signals go there. */
  void to(Guest there, long process) {
    pid = process;
    guest = there;
  }

  /** Installs a handler, null for this object's own, and gives the one that was there. */
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
            // The program ended at the same moment, or the stream that shows it says what is wrong.
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
