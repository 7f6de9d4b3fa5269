// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.config;

import dev.ramet.server.config.SettingCatalog.Part;
import java.util.List;

/** The settings of the host itself: listen address, access and limits. */
final class HostCatalogue {
  private HostCatalogue() {}

  static void addTo(List<Setting> list) {
    listening(new Part(list, "host"));
    uploads(new Part(list, "host"));
    access(new Part(list, "access"));
    tls(new Part(list, "TLS"));
  }

  private static void listening(Part part) {
    part.add(
        part.setting(
            "ramet.bind",
            Types.ADDRESS,
            "127.0.0.1",
            "Address to listen on. Without TLS, requests and keys are readable on their way."));
    part.add(
        part.setting(
            "ramet.port",
            Types.port(),
            "3000",
            "TCP port; -1 takes any free one. 3000 is where E2B clients look in their debug"
                + " mode."));
    part.add(
        part.setting(
            "ramet.data-root",
            Types.FILE,
            "/var/lib/ramet",
            "Directory of all volumes, snapshots and sandboxes."));
    part.add(
        part.setting(
                "ramet.domain",
                Types.DOMAIN,
                null,
                "Clients reach a guest's port at <port>-<sandboxID>.<domain>. Requests may also be"
                    + " for this name and all names below it.")
            .orElse("localhost is taken in a request, and no domain is announced")
            .like("sandbox.example.org"));
    part.add(
        part.setting(
            "ramet.engine-wait",
            Types.DURATION,
            "30s",
            "How long a request waits while the engine is still opening, before it is answered"
                + " 503."));
    part.add(
        part.setting(
                "ramet.exchange-directories",
                Types.PATHS,
                null,
                "Directories on the host that requests may read and write files in: storage export"
                    + " and import, template import, container images. A path that leads elsewhere, also by a link,"
                    + " is answered 403.")
            .orElse("none")
            .like("/srv/exchange"));
  }

  private static void uploads(Part part) {
    part.add(
        part.setting(
                "ramet.upload-bytes",
                Types.number(1, Long.MAX_VALUE),
                "4294967296",
                "How much room all files may take that clients upload for template builds. Those"
                    + " that were not used for a day are removed, and before that the oldest when"
                    + " others come.")
            .in("bytes"));
  }

  private static void access(Part part) {
    part.add(
        part.setting(
            "ramet.auth",
            Types.constant("AUTO", "ON", "OFF"),
            "AUTO",
            "Whether requests need an API key. AUTO, ON: always; those that come by ramet.socket need"
                + " none. OFF: never, so every local user can do all that the host can, and"
                + " ramet.bind must be a loopback address. /health is answered without one."));
    part.add(
        part.setting(
                "ramet.socket",
                Types.FILE,
                null,
                "A unix socket on which the host answers its own user, root and the group ramet"
                    + " without a key. Set to nothing: none.")
            .orElse(
                "/run/ramet/PORT.sock for root, $XDG_RUNTIME_DIR/ramet/PORT.sock for others, else"
                    + " ramet.sock in the data root")
            .like("/run/ramet/ramet.sock"));
    part.add(
        part.setting(
                "ramet.keys-file",
                Types.FILE,
                null,
                "The file of the keys' digests; the keys themselves are kept nowhere.")
            .orElse("api-keys.json in the data root")
            .like("/etc/ramet/api-keys.json"));
    part.add(
        part.setting(
                "ramet.rate-limit",
                Types.number(0, 1_000_000),
                null,
                "Requests a second that one key may make, in bursts of twice as many; without keys"
                    + " it counts for one address. More are answered 429. 0 is any number.")
            .in("requests a second")
            .orElse(
                "100 when keys are needed, and any number by ramet.socket or the local key; else 0")
            .like("100"));
    part.add(
        part.setting(
                "ramet.audit-log",
                Types.FILE,
                null,
                "A line of JSON for each request that changes something or is refused.")
            .orElse("audit.log in the data root when keys are needed, else none")
            .like("/var/log/ramet/audit.log"));
  }

  private static void tls(Part part) {
    part.add(
        part.setting(
            "ramet.tls",
            Types.constant("OFF", "ON"),
            "OFF",
            "ON: the port speaks TLS and nothing else, HTTP/1.1 and HTTP/2 in it. Without a"
                + " certificate the host makes one: clients trust it by tls/ca.pem in the data"
                + " root."));
    part.add(
        part.setting(
                "ramet.tls-certificate",
                Types.FILE,
                null,
                "A PEM file: the host's certificate, and after it those that lead to its authority."
                    + " Read again when it changes.")
            .orElse("one that the host makes, and makes again before it ends")
            .like("/etc/ramet/tls/fullchain.pem"));
    part.add(
        part.setting(
                "ramet.tls-key",
                Types.FILE,
                null,
                "A PEM file: the certificate's key, RSA, EC or EdDSA, not encrypted. It may be the"
                    + " same file. Read again when it changes.")
            .orElse("the one of the certificate that the host makes")
            .like("/etc/ramet/tls/privkey.pem"));
    part.add(
        part.setting(
                "ramet.tls-names",
                Types.NAMES,
                null,
                "More names and addresses by which clients reach the host, with TLS and without."
                    + " Requests for other names are answered 421. A certificate that the host makes"
                    + " is for them too.")
            .orElse(
                "localhost, 127.0.0.1, ::1, the machine's name, ramet.bind, ramet.domain and all"
                    + " below it")
            .like("ramet.example.org"));
  }

  static void addFrameworkTo(List<Setting> list) {
    Part part = new Part(list, "server");
    part.add(
        part.setting(
                "micronaut.server.max-request-size",
                Types.number(1, 1L << 30),
                "1048576",
                "The largest request body of the API; guest traffic is streamed and has no limit.")
            .in("bytes"));
    part.add(
        part.setting(
            "micronaut.lifecycle.graceful-shutdown.grace-period",
            Types.DURATION,
            "20s",
            "How long a host that stops waits for requests in flight."));
    part.add(
        part.setting(
                "micronaut.netty.event-loops.default.num-threads",
                Types.number(1, 256),
                "2",
                "Threads that move bytes.")
            .in("threads"));
    part.add(
        part.setting(
                "micronaut.executors.blocking.n-threads",
                Types.number(1, 4096),
                "64",
                "Threads for operations on sandboxes, which block.")
            .in("threads"));
    part.add(
        part.setting(
                "micronaut.executors.lookup.n-threads",
                Types.number(1, 4096),
                "8",
                "Threads that find out where a guest's port is.")
            .in("threads"));
  }
}
