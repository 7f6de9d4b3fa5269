// SPDX-License-Identifier: Apache-2.0
/*
 * The egress filter of a control group: five programs and the maps that they share. The object that
 * build/bpf-check makes of this file is checked in among the module's resources.
 *
 * The rules are one trie of networks. The most specific network that holds an address decides, so
 * whoever fills the trie gives every network the verdict that all rules together have for it. New
 * rules are a new trie in the single slot of `rules`: the kernel replaces the slot at once, so each
 * decision follows the old rules or the new ones, never a mixture.
 *
 * Only little-endian kernels load the object. It has no BTF, since nothing here needs it.
 */
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#define SECTION(name) __attribute__((section(name), used))
#define INLINE static __attribute__((always_inline))

#define REFUSE 0
#define PASS 1

/* Bits of a verdict. The same numbers stand in EgressRules.java. */
#define VERDICT_DNS 1       /* passes at the port of DNS, whatever the other bits say */
#define VERDICT_PASS 2      /* passes unless it is relayed */
#define VERDICT_RELAY_WEB 4 /* TCP connections to ports 80 and 443 go to the relay */
#define VERDICT_RELAY 8     /* TCP connections to all ports go to the relay */

#define DNS_PORT 53
#define HTTP_PORT 80
#define HTTPS_PORT 443
#define STREAM 1 /* SOCK_STREAM */
#define LOOPBACK 0x7f000001
#define MAPPED 0xffff /* before an IPv4 address in an IPv6 address (RFC 4291, 2.5.5.2) */

#define ADDRESS_WORDS 4
#define FAMILY_BITS 32

#define to_network_32(value) __builtin_bswap32(value)
#define to_host_32(value) __builtin_bswap32(value)
#define to_network_16(value) __builtin_bswap16(value)
#define to_host_16(value) __builtin_bswap16(value)

/* The key of the trie. The family comes first, since an IPv4 rule says nothing about IPv6. */
struct network {
  __u32 bits; /* FAMILY_BITS more than the prefix has */
  __be32 family;
  __be32 address[ADDRESS_WORDS]; /* IPv4 uses the first word; the others are 0 */
};

struct settings {
  __be32 own;        /* the address of the guest's ports, whose answers pass */
  __u32 relay_port; /* 0 without a relay */
};

/* Where a connection was to go that the relay gets, in this machine's order. */
struct origin {
  __u32 address[ADDRESS_WORDS];
  __u32 words; /* how many words of the address are used */
  __u32 port;
};

/* A map's definition, as the loader reads it. */
struct map_definition {
  __u32 type;
  __u32 key_size;
  __u32 value_size;
  __u32 max_entries;
  __u32 flags;
};

struct map_definition SECTION("maps") rules = {
    .type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u32),
    .max_entries = 1,
};

/* The form of the tries in `rules`; the loader chooses their size. */
struct map_definition SECTION("maps") networks = {
    .type = BPF_MAP_TYPE_LPM_TRIE,
    .key_size = sizeof(struct network),
    .value_size = sizeof(__u32),
    .max_entries = 1,
    .flags = BPF_F_NO_PREALLOC,
};

struct map_definition SECTION("maps") settings = {
    .type = BPF_MAP_TYPE_ARRAY,
    .key_size = sizeof(__u32),
    .value_size = sizeof(struct settings),
    .max_entries = 1,
};

/*
 * connect(2) knows the socket but not the port that it is going to have, so it keeps the origin by the
 * socket's cookie. The first packet knows both, and keeps the origin by the port, where the relay
 * finds it. More entries than connections that the relay has not accepted yet.
 */
struct map_definition SECTION("maps") by_socket = {
    .type = BPF_MAP_TYPE_LRU_HASH,
    .key_size = sizeof(__u64),
    .value_size = sizeof(struct origin),
    .max_entries = 4096,
};

struct map_definition SECTION("maps") by_port = {
    .type = BPF_MAP_TYPE_LRU_HASH,
    .key_size = sizeof(__u32),
    .value_size = sizeof(struct origin),
    .max_entries = 4096,
};

/* None of these helpers is reserved for programs under the GPL. */
char SECTION("license") license_name[] = "Apache-2.0";

static void *(*const map_lookup)(const void *map, const void *key) = (void *)BPF_FUNC_map_lookup_elem;
static long (*const map_update)(const void *map, const void *key, const void *value, __u64 flags) =
    (void *)BPF_FUNC_map_update_elem;
static long (*const map_delete)(const void *map, const void *key) = (void *)BPF_FUNC_map_delete_elem;
static long (*const load_bytes)(const void *packet, __u32 offset, void *to, __u32 length) =
    (void *)BPF_FUNC_skb_load_bytes;
static __u64 (*const socket_cookie)(const void *context) = (void *)BPF_FUNC_get_socket_cookie;

/* The rules' verdict; without rules, nothing passes. */
INLINE __u32 verdict_of(const struct network *address) {
  __u32 slot = 0;
  const void *current = map_lookup(&rules, &slot);
  if (!current)
    return 0;
  const __u32 *found = map_lookup(current, address);
  return found ? *found : 0;
}

INLINE const struct settings *get_settings(void) {
  __u32 slot = 0;
  return map_lookup(&settings, &slot);
}

/* ---- packets ---- */

/* A port of the packet, or -1 if the packet ends before it. */
INLINE int port_at(const struct __sk_buff *packet, __u32 offset) {
  __be16 port;
  if (load_bytes(packet, offset, &port, sizeof(port)))
    return -1;
  return to_host_16(port);
}

INLINE int decide_packet(const struct __sk_buff *packet, const struct network *target, __u32 payload) {
  __u32 verdict = verdict_of(target);
  if (verdict & VERDICT_DNS) {
    int port = port_at(packet, payload + sizeof(__be16));
    if (port < 0)
      return REFUSE;
    if (port == DNS_PORT)
      return PASS;
  }
  return verdict & VERDICT_PASS ? PASS : REFUSE;
}

/* A packet to the relay passes; the first of a connection says where the connection was to go. */
INLINE int pass_to_relay(struct __sk_buff *packet, __u32 payload) {
  int port = port_at(packet, payload);
  if (port < 0)
    return REFUSE;
  __u32 source = port;
  __u64 cookie = socket_cookie(packet);
  const struct origin *kept = map_lookup(&by_socket, &cookie);
  if (kept) {
    struct origin origin = *kept;
    map_update(&by_port, &source, &origin, BPF_ANY);
    map_delete(&by_socket, &cookie);
  }
  return PASS;
}

INLINE int packet_4(struct __sk_buff *packet, const struct iphdr *header) {
  const struct settings *set = get_settings();
  if (!set)
    return REFUSE;
  if (header->saddr == set->own)
    return PASS;
  __u32 payload = header->ihl * 4;
  if (set->relay_port && header->daddr == to_network_32(LOOPBACK) && header->protocol == IPPROTO_TCP) {
    int port = port_at(packet, payload + sizeof(__be16));
    if (port < 0)
      return REFUSE;
    if ((__u32)port == set->relay_port)
      return pass_to_relay(packet, payload);
  }
  struct network target = {
      .bits = FAMILY_BITS + 32,
      .family = to_network_32(4),
      .address = {header->daddr},
  };
  return decide_packet(packet, &target, payload);
}

INLINE int packet_6(struct __sk_buff *packet) {
  struct ipv6hdr header;
  if (load_bytes(packet, 0, &header, sizeof(header)))
    return REFUSE;
  struct network target = {
      .bits = FAMILY_BITS + 128,
      .family = to_network_32(6),
  };
  __builtin_memcpy(target.address, &header.daddr, sizeof(target.address));
  return decide_packet(packet, &target, sizeof(header));
}

SECTION("cgroup_skb/egress") int egress(struct __sk_buff *packet) {
  struct iphdr header; /* the shorter of both headers, and the version is in the same place */
  if (load_bytes(packet, 0, &header, sizeof(header)))
    return REFUSE;
  switch (header.version) {
  case 4:
    return packet_4(packet, &header);
  case 6:
    return packet_6(packet);
  default:
    return REFUSE;
  }
}

/* ---- sockets ---- */

INLINE __u32 port_of(const struct bpf_sock_addr *socket) {
  return to_host_16((__u16)socket->user_port);
}

INLINE void target_4(const struct bpf_sock_addr *socket, struct network *target) {
  target->bits = FAMILY_BITS + 32;
  target->family = to_network_32(4);
  target->address[0] = socket->user_ip4;
  target->address[1] = 0;
  target->address[2] = 0;
  target->address[3] = 0;
}

INLINE void target_6(const struct bpf_sock_addr *socket, struct network *target) {
  target->bits = FAMILY_BITS + 128;
  target->family = to_network_32(6);
  target->address[0] = socket->user_ip6[0];
  target->address[1] = socket->user_ip6[1];
  target->address[2] = socket->user_ip6[2];
  target->address[3] = socket->user_ip6[3];
}

INLINE int passes(__u32 verdict, __u32 port) {
  if (verdict & VERDICT_DNS && port == DNS_PORT)
    return PASS;
  return verdict & VERDICT_PASS ? PASS : REFUSE;
}

INLINE int is_relayed(const struct bpf_sock_addr *socket, __u32 verdict, __u32 port) {
  if (verdict & VERDICT_DNS && port == DNS_PORT)
    return 0;
  if (socket->type != STREAM)
    return 0;
  if (verdict & VERDICT_RELAY)
    return 1;
  return verdict & VERDICT_RELAY_WEB && (port == HTTP_PORT || port == HTTPS_PORT);
}

/* Keeps where a socket was to connect to. Without that, it must not connect to the relay either. */
INLINE int keep(struct bpf_sock_addr *socket, const struct network *target, __u32 words, __u32 port) {
  struct origin origin = {
      .address =
          {
              to_host_32(target->address[0]),
              to_host_32(target->address[1]),
              to_host_32(target->address[2]),
              to_host_32(target->address[3]),
          },
      .words = words,
      .port = port,
  };
  __u64 cookie = socket_cookie(socket);
  return map_update(&by_socket, &cookie, &origin, BPF_ANY) == 0;
}

INLINE int aim_at_relay(struct bpf_sock_addr *socket) {
  const struct settings *set = get_settings();
  if (!set || !set->relay_port)
    return REFUSE;
  socket->user_port = to_network_16((__u16)set->relay_port);
  return PASS;
}

SECTION("cgroup/connect4") int connect4(struct bpf_sock_addr *socket) {
  struct network target;
  target_4(socket, &target);
  __u32 port = port_of(socket);
  __u32 verdict = verdict_of(&target);
  if (!is_relayed(socket, verdict, port))
    return passes(verdict, port);
  if (!keep(socket, &target, 1, port))
    return REFUSE;
  socket->user_ip4 = to_network_32(LOOPBACK);
  return aim_at_relay(socket);
}

SECTION("cgroup/connect6") int connect6(struct bpf_sock_addr *socket) {
  struct network target;
  target_6(socket, &target);
  __u32 port = port_of(socket);
  __u32 verdict = verdict_of(&target);
  if (!is_relayed(socket, verdict, port))
    return passes(verdict, port);
  if (!keep(socket, &target, ADDRESS_WORDS, port))
    return REFUSE;
  /* Word by word: kernels before 5.3 refuse wider accesses. */
  volatile __u32 *address = socket->user_ip6;
  address[0] = 0;
  address[1] = 0;
  address[2] = to_network_32(MAPPED);
  address[3] = to_network_32(LOOPBACK);
  return aim_at_relay(socket);
}

SECTION("cgroup/sendmsg4") int sendmsg4(struct bpf_sock_addr *socket) {
  struct network target;
  target_4(socket, &target);
  return passes(verdict_of(&target), port_of(socket));
}

SECTION("cgroup/sendmsg6") int sendmsg6(struct bpf_sock_addr *socket) {
  struct network target;
  target_6(socket, &target);
  return passes(verdict_of(&target), port_of(socket));
}
