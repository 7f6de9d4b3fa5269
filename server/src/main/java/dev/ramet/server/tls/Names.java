// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.tls;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The names and addresses that a certificate of the host's own is for. */
final class Names {
  /** What may stand in a certificate as a name, and in a list with commas between. */
  private static final Pattern NAME =
      Pattern.compile("(\\*\\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  private static final Set<String> ANY = Set.of("0.0.0.0", "::");

  private final Set<String> dns = new TreeSet<>();
  private final Set<String> addresses = new TreeSet<>();

  private Names() {}

  /**
   * Those of a host.
   *
   * @param bind what it listens on
   * @param domain what sandboxes are under, or null
   * @param more what the operator wants beside
   */
  static Names of(String bind, @Nullable String domain, Iterable<String> more) {
    Names names = new Names();
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
      return "localhost"; // a name that nothing resolves is no way to reach this host
    }
  }

  private void add(String name) {
    String plain = name.strip().toLowerCase(Locale.ROOT);
    byte[] address = NetUtil.createByteArrayFromIpAddressString(plain);
    if (address != null) {
      addresses.add(NetUtil.bytesToIpAddress(address));
    } else if (NAME.matcher(plain).matches()) {
      dns.add(plain);
    }
  }

  /** The names, wildcards too. */
  Set<String> dns() {
    return Collections.unmodifiableSet(dns);
  }

  /** The addresses, of 4 or 16 bytes. */
  List<byte[]> addresses() {
    return addresses.stream().map(NetUtil::createByteArrayFromIpAddressString).toList();
  }

  /** All of them as one text. */
  String extension() {
    StringBuilder text = new StringBuilder();
    dns.forEach(name -> text.append(",dns:").append(name));
    addresses.forEach(address -> text.append(",ip:").append(address));
    return text.substring(1);
  }
}
