// SPDX-License-Identifier: Apache-2.0
package dev.ramet.pluginhost.find;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that everything a plugin's classes use of the contracts exists in this host. Java itself
 * would notice only when such a call is made, which may be in the middle of a capture. Used by one
 * thread.
 */
final class ContractUse {
  private static final String CLASS = ".class";

  private final Map<String, Module> packages = new HashMap<>();
  private final Map<String, Optional<Set<String>>> known = new HashMap<>();

  /**
   * Creates the check.
   *
   * @param contracts the modules of the contracts
   */
  ContractUse(List<Module> contracts) {
    for (Module contract : contracts) {
      contract.getPackages().forEach(name -> packages.put(name, contract));
    }
  }

  /**
   * Returns what a module's classes use and this host's contracts do not have, for people; null if
   * there is no such thing.
   *
   * @throws IOException if its classes cannot be read
   */
  @Nullable String missing(ModuleReference module) throws IOException {
    try (ModuleReader reader = module.open()) {
      for (String file : reader.list().filter(name -> name.endsWith(CLASS)).sorted().toList()) {
        try (InputStream in = reader.open(file).orElseThrow()) {
          String missing = missing(ConstantPool.read(in));
          if (missing != null) {
            return missing;
          }
        }
      }
    }
    return null;
  }

  private @Nullable String missing(ConstantPool used) {
    for (String type : used.types()) {
      String name = type.startsWith("[") ? element(type) : type;
      if (isContract(name) && members(name).isEmpty()) {
        return "the type " + className(name);
      }
    }
    for (ConstantPool.Member member : used.members()) {
      Optional<Set<String>> there =
          isContract(member.owner()) ? members(member.owner()) : Optional.empty();
      if (there.isPresent() && !there.get().contains(member.name() + member.descriptor())) {
        return describe(member);
      }
    }
    return null;
  }

  /** Returns the internal name in an array's descriptor; empty for an array of numbers. */
  private static String element(String array) {
    int object = array.indexOf('L');
    return object < 0 ? "" : array.substring(object + 1, array.length() - 1);
  }

  private boolean isContract(String type) {
    int end = type.lastIndexOf('/');
    return end > 0 && packages.containsKey(className(type.substring(0, end)));
  }

  private static String className(String internalName) {
    return internalName.replace('/', '.');
  }

  private static String describe(ConstantPool.Member member) {
    String type = className(member.owner());
    if (!member.descriptor().startsWith("(")) {
      return "the field " + member.name() + " of the type " + type;
    }
    String parameters = className(member.descriptor());
    parameters = parameters.substring(0, parameters.indexOf(')') + 1);
    return member.name().equals("<init>")
        ? "a constructor with the parameters " + parameters + " of the type " + type
        : "the method " + member.name() + parameters + " of the type " + type;
  }

  /** Returns the members of a type, inherited ones too; empty if there is no such type. */
  private Optional<Set<String>> members(String internalName) {
    return known.computeIfAbsent(
        internalName,
        name -> {
          Module contract = packages.get(className(name.substring(0, name.lastIndexOf('/'))));
          Class<?> type = contract == null ? null : Class.forName(contract, className(name));
          if (type == null) {
            return Optional.empty();
          }
          Set<String> members = new HashSet<>();
          collect(type, members);
          collect(Object.class, members); // which interfaces have, too
          return Optional.of(members);
        });
  }

  private static void collect(Class<?> type, Set<String> members) {
    for (Method method : type.getDeclaredMethods()) {
      members.add(
          method.getName()
              + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                  .toMethodDescriptorString());
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      members.add(
          "<init>"
              + MethodType.methodType(void.class, constructor.getParameterTypes())
                  .toMethodDescriptorString());
    }
    for (Field field : type.getDeclaredFields()) {
      members.add(field.getName() + field.getType().descriptorString());
    }
    Class<?> parent = type.getSuperclass();
    if (parent != null) {
      collect(parent, members);
    }
    for (Class<?> one : type.getInterfaces()) {
      collect(one, members);
    }
  }
}
