# SPDX-License-Identifier: Apache-2.0
#
# What all recipes do alike. A recipe sets name, here, lib, default_disk_mb, least_disk_mb and machine
# (CPUs and MiB of memory) and defines
#   resolve       finds out what it is made of
#   key_inputs    prints what of that the result depends on
#   packages      prints "package version sha256" lines of what it needs beside kernel and busybox
#   lay_out_tree  makes the root's files in $tree, from the packages in the cache
# and then calls main with its arguments.
# Sourced, not run.
#
# RAMET_AGENT    the agent binary (required)
# RAMET_CACHE    where downloaded packages are kept (${XDG_CACHE_HOME:-~/.cache}/ramet/packages)
# RAMET_DISK_MB  size of the root disk
#
# It ends with status 73 when a file system is full: the last two lines say which, and what to do.
#
# No recipe needs root, loop devices or a container engine. The same key gives the same bytes.
export LC_ALL=C TZ=UTC
umask 022
PATH=$PATH:/usr/sbin:/sbin # where mke2fs is, and what an ordinary user's PATH lacks

. "$lib/packages.sh"
. "$lib/initramfs.sh"
. "$lib/rootfs.sh"
. "$lib/manifest.sh"

say() { printf '%s: %s\n' "$name" "$*"; }
die() { printf '%s: %s\n' "$name" "$*" >&2; exit 1; }

usage() { die "usage: recipe build OUT_DIR | recipe key"; }

check_inputs() {
  local tool package
  while read -r tool package; do
    command -v "$tool" >/dev/null || die "$tool is missing; install it with: apt-get install $package"
  done <<<'apt-get apt
dpkg-deb dpkg
mke2fs e2fsprogs
debugfs e2fsprogs
xz xz-utils'
  [ -n "${RAMET_AGENT:-}" ] || die "RAMET_AGENT is not set; build the agent with: guest/build OUT"
  [ -f "$RAMET_AGENT" ] || die "RAMET_AGENT=$RAMET_AGENT is not a file"
  disk_mb=${RAMET_DISK_MB:-$default_disk_mb}
  [[ $disk_mb =~ ^[1-9][0-9]{1,6}$ ]] && [ "$disk_mb" -ge "$least_disk_mb" ] ||
    die "RAMET_DISK_MB=$disk_mb is not a size of at least $least_disk_mb"
  cache=${RAMET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ramet/packages}
}

# What decides the result: the recipe's files, the agent, the packages, the disk's size and the tool
# that lays out the file system.
print_key() {
  {
    (cd -- "$here" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    (cd -- "$lib" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    sha256sum <"$RAMET_AGENT"
    key_inputs
    printf '%s\n' "$kernel_sha256" "$busybox_sha256" "$disk_mb"
    mke2fs -V 2>&1
  } | sha256sum | cut -c 1-32
}

# is_full PATH: whether the file system of PATH is as good as full: less is left than a kernel needs,
# for programs that fail for want of room take some of it back.
is_full() {
  local free
  free=$(df -k --output=avail -- "$1" 2>/dev/null | tail -n 1) && [ "${free:-0}" -lt 8192 ]
}

# need_room: ends here when the disk's image may lack what did not fit on the host: neither mke2fs
# nor debugfs says so of data.
need_room() {
  if is_full "$work"; then die "there is no space left for the disk image"; fi
}

# end_build: what was half made goes. Before that gives the room back, a failure for want of it is
# told as such, for most programs do so only in words.
end_build() {
  local status=$? place full=
  case $status in
    0 | 65) ;;
    73) full=$work ;;
    *)
      for place in "$cache" "$work"; do
        if is_full "$place"; then full=$place; fi
      done
      ;;
  esac
  if [ -n "$full" ]; then
    full=$(df --output=target -- "$full" 2>/dev/null | tail -n 1)
    printf '%s\n%s\n' "cannot build the template: the file system at $full is full" \
      "delete files there that you no longer need, or enlarge the file system" >&2
    status=73
  fi
  rm -f -- "$cache"/.*."$$"
  chmod -R u+rwX -- "$work"
  rm -rf -- "$work"
  exit "$status"
}

build() {
  local out=$1
  mkdir -p -- "$out"
  out=$(cd -- "$out" && pwd)
  work=$(mktemp -d "$out/.work.XXXXXX")
  trap end_build EXIT

  key=$(print_key)
  say "key $key"
  say "kernel $kernel_package $kernel_version"
  say "$busybox_package $busybox_version"
  {
    printf '%s %s %s\n' "$kernel_package" "$kernel_version" "$kernel_sha256"
    printf '%s %s %s\n' "$busybox_package" "$busybox_version" "$busybox_sha256"
    packages
  } >"$work/packages"
  fetch <"$work/packages"
  unpack
  make_initramfs
  say "initrd $(stat -c %s "$work/initrd") bytes"
  make_rootfs
  need_room
  say "rootfs.raw $disk_mb MiB, $(du -k "$work/rootfs.raw" | cut -f 1) KiB allocated"
  # shellcheck disable=SC2086 # two words
  make_manifest $machine
  # The manifest comes last: where it is, the rest is complete.
  rm -f -- "$out/template.json"
  mv -f -- "$work/kernel" "$work/initrd" "$work/rootfs.raw" "$out/"
  mv -f -- "$work/template.json" "$out/"
  say "done: $out"
}

main() {
  case ${1:-} in
    build) [ $# -eq 2 ] || usage; check_inputs; resolve_packages; resolve; build "$2" ;;
    key) [ $# -eq 1 ] || usage; check_inputs; resolve_packages; resolve; print_key ;;
    *) usage ;;
  esac
}
