// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Records the messages of one logger; the test runner uses {@code java.util.logging}. */
final class LogRecorder extends Handler implements AutoCloseable {
  private final Logger logger;
  private final Level before;
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final SimpleFormatter formatter = new SimpleFormatter();

  private LogRecorder(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
  }

  static LogRecorder of(String name) {
    Logger logger = Logger.getLogger(name);
    LogRecorder recorder = new LogRecorder(logger);
    logger.setLevel(Level.INFO);
    logger.addHandler(recorder);
    return recorder;
  }

  List<String> messages() {
    return List.copyOf(messages);
  }

  @Override
  public void publish(LogRecord entry) {
    messages.add(formatter.formatMessage(entry));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
