// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.output;

import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Conditions of {@code --filter}, such as {@code state=running,template=web,label=owner=ci}.
 * Several values of one key are alternatives; several labels and several keys must all hold.
 * Immutable and thread-safe.
 *
 * @param <T> the type of the objects
 */
public final class Filter<T> {
  /** The key whose values are pairs or names of labels. */
  public static final String LABEL = "label";

  private final Listing<T> listing;
  private final Map<String, List<String>> wanted;

  private Filter(Listing<T> listing, Map<String, List<String>> wanted) {
    this.listing = listing;
    this.wanted = wanted;
  }

  /**
   * Reads conditions. At a comma begins another condition, or another value of the same key.
   *
   * @throws RametException INVALID_ARGUMENT for a key that the listing does not have
   */
  public static <T> Filter<T> parse(List<String> texts, Listing<T> listing) {
    Map<String, List<String>> wanted = new LinkedHashMap<>();
    for (String text : texts) {
      String key = null;
      for (String part : text.split(",", -1)) {
        int equals = part.indexOf('=');
        String name = equals < 0 ? "" : part.substring(0, equals).strip();
        List<String> values = key == null ? null : wanted.get(key);
        if (listing.filters().containsKey(name)) {
          key = name;
          wanted.computeIfAbsent(key, k -> new ArrayList<>()).add(part.substring(equals + 1));
        } else if (key == null || values == null || (equals >= 0 && !key.equals(LABEL))) {
          throw RametException.invalid(
              "--filter",
              "not a condition: "
                  + part
                  + "; give KEY=VALUE with one of "
                  + String.join(", ", listing.filters().keySet()));
        } else if (key.equals(LABEL)) {
          values.add(values.remove(values.size() - 1) + "," + part); // a comma in a label's value
        } else {
          values.add(part);
        }
      }
    }
    return new Filter<>(listing, wanted);
  }

  /** Returns whether there is no condition. */
  public boolean isEmpty() {
    return wanted.isEmpty();
  }

  /**
   * Adds the conditions that the host can check to a path of its API.
   *
   * @param encode encodes the value of a parameter
   */
  public String on(String path, UnaryOperator<String> encode) {
    StringBuilder all = new StringBuilder(path);
    wanted.forEach(
        (key, values) -> {
          Listing.Parameter parameter = listing.ofHost().get(key);
          if (parameter == null || path.contains(parameter.name() + "=")) {
            return; // an option has set it already
          }
          for (String value : parameter.how().values(values)) {
            all.append(all.indexOf("?") < 0 ? '?' : '&').append(parameter.name()).append('=');
            all.append(encode.apply(value));
          }
        });
    return all.toString();
  }

  /** Returns whether an object fulfils all conditions. */
  public boolean accepts(T one) {
    for (Map.Entry<String, List<String>> condition : wanted.entrySet()) {
      Collection<String> values =
          java.util.Objects.requireNonNull(listing.filters().get(condition.getKey())).apply(one);
      boolean holds =
          condition.getKey().equals(LABEL)
              ? condition.getValue().stream().allMatch(label -> hasLabel(values, label))
              : condition.getValue().stream().anyMatch(values::contains);
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasLabel(Collection<String> pairs, String label) {
    return label.indexOf('=') >= 0
        ? pairs.contains(label)
        : pairs.stream().anyMatch(pair -> pair.startsWith(label + "="));
  }
}
