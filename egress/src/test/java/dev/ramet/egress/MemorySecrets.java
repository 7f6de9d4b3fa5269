// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress;

import dev.ramet.egress.rule.Secret;
import dev.ramet.egress.rule.Secrets;
import dev.ramet.errors.RametException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Secrets of a test, by name. */
public final class MemorySecrets implements Secrets {
  private final Map<String, String> values = new ConcurrentHashMap<>();

  public void put(String name, String value) {
    values.put(name, value);
  }

  public @Nullable String value(String name) {
    return values.get(name);
  }

  @Override
  public Secret create(
      String name, String value, Map<String, String> metadata, Consumer<String> beforehand) {
    put(name, value);
    return get(name);
  }

  @Override
  public Secret update(String name, String value, @Nullable Map<String, String> metadata) {
    put(name, value);
    return get(name);
  }

  @Override
  public Secret get(String name) {
    if (!values.containsKey(name)) {
      throw RametException.notFound("secret", name);
    }
    return new Secret(ID_PREFIX + name, name, 1, Map.of(), Instant.EPOCH, Instant.EPOCH);
  }

  @Override
  public List<Secret> list() {
    return values.keySet().stream().map(this::get).toList();
  }

  @Override
  public void delete(String name) {
    values.remove(name);
  }
}
