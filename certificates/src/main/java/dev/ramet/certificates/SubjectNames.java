// SPDX-License-Identifier: Apache-2.0
package dev.ramet.certificates;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The names and addresses that a host's self-issued certificate is valid for. */
public final class SubjectNames {
  /** Names allowed in a certificate and in a comma-separated list. */
  private static final Pattern NAME =
      Pattern.compile("(\\*\\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  /** Texts that the JDK parses as an address without a DNS query. */
  private static final Pattern ADDRESS =
      Pattern.compile(
          "[0-9a-f.]*:[0-9a-f:.]*|((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

  private static final Set<String> ANY = Set.of("0.0.0.0", "::");

  private final Set<String> dns = new TreeSet<>();

  /** Addresses by their text as written. */
  private final SortedMap<String, byte[]> addresses = new TreeMap<>();

  private SubjectNames() {}

  /**
   * Returns the names of a host.
   *
   * @param bind the address it listens on
   * @param domain the domain of its sandboxes, or null
   * @param more further names given by the operator
   */
  public static SubjectNames of(String bind, @Nullable String domain, Iterable<String> more) {
    SubjectNames names = new SubjectNames();
    names.add("localhost");
    names.add("127.0.0.1");
    names.add("::1");
    names.add(hostName());
    if (!ANY.contains(bind)) {
      names.add(bind);
    }
    if (domain != null) {
      names.add(domain);
      names.add("*." + domain);
    }
    more.forEach(names::add);
    return names;
  }

  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost"; // a name that does not resolve cannot be used to reach this host
    }
  }

  private void add(String name) {
    String plain = name.strip().toLowerCase(Locale.ROOT);
    byte[] address = address(plain);
    if (address != null) {
      if (addresses.values().stream().noneMatch(known -> Arrays.equals(known, address))) {
        addresses.put(plain, address);
      }
    } else if (NAME.matcher(plain).matches()) {
      dns.add(plain);
    }
  }

  private static byte @Nullable [] address(String text) {
    if (!ADDRESS.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      return null; // it contains colons but is not an address
    }
  }

  /** Returns the DNS names, wildcards included. */
  Set<String> dns() {
    return Collections.unmodifiableSet(dns);
  }

  /** Returns the addresses, of 4 or 16 bytes. */
  Collection<byte[]> addresses() {
    return Collections.unmodifiableCollection(addresses.values());
  }

  /** Returns all names and addresses as one text. */
  String extension() {
    StringBuilder text = new StringBuilder();
    dns.forEach(name -> text.append(",dns:").append(name));
    addresses.keySet().forEach(address -> text.append(",ip:").append(address));
    return text.substring(1);
  }
}
