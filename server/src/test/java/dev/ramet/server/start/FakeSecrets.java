// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.start;

import dev.ramet.egress.rule.Secret;
import dev.ramet.egress.rule.Secrets;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Secrets in memory, by name. */
final class FakeSecrets implements Secrets {
  final Map<String, Secret> byName = new ConcurrentHashMap<>();
  final Map<String, String> values = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  @Override
  public Secret create(
      String name, String value, Map<String, String> metadata, Consumer<String> beforehand) {
    check(value);
    if (!name.matches("[a-zA-Z0-9._-]{1,64}")) {
      throw RametException.invalid("name", "is none");
    }
    int number = count.incrementAndGet();
    Instant now = Instant.ofEpochSecond(number);
    Secret made = new Secret("sec_" + number, name, 1, metadata, now, now);
    beforehand.accept(made.id());
    if (byName.putIfAbsent(name, made) != null) {
      throw new RametException(ErrorCode.ALREADY_EXISTS, "there is already a secret named " + name);
    }
    values.put(name, value);
    return made;
  }

  private static void check(String value) {
    if (!value.matches("[ -~]+")) {
      throw RametException.invalid("value", "is none");
    }
  }

  @Override
  public Secret update(String id, String value, @Nullable Map<String, String> metadata) {
    check(value);
    Secret s = get(id);
    Secret changed =
        new Secret(
            s.id(),
            s.name(),
            s.version() + 1,
            metadata == null ? s.metadata() : metadata,
            s.createdAt(),
            Instant.ofEpochSecond(count.incrementAndGet()));
    byName.put(s.name(), changed);
    values.put(s.name(), value);
    return changed;
  }

  @Override
  public Secret get(String id) {
    return byName.values().stream()
        .filter(secret -> secret.id().equals(id) || secret.name().equals(id))
        .findFirst()
        .orElseThrow(() -> RametException.notFound("secret", id));
  }

  @Override
  public List<Secret> list() {
    return List.copyOf(byName.values());
  }

  @Override
  public void delete(String id) {
    byName.remove(get(id).name());
  }
}
