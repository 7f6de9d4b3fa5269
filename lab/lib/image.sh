# SPDX-License-Identifier: Apache-2.0
# What a guest is made of, kept in the cache: a kernel, an initial RAM disk and a root image of
# LAB_SUITE, and a QEMU of LAB_TOOLS_SUITE. Sourced, not run.

GUEST_PACKAGES="busybox-static base-files bash coreutils findutils grep sed gawk tar diffutils
  util-linux mount kmod procps e2fsprogs xfsprogs btrfs-progs libstdc++6 zlib1g
  qemu-system-x86 qemu-utils"
GUEST_MODULES="virtio_pci virtio_blk virtio_console ext4 overlay loop dm-mod dm-snapshot xfs btrfs"
TOOLS_PACKAGES="qemu-system-x86 seabios"

# cached KIND SUITE BUILDER: a directory in the cache, built when it is not there. Its name follows
# from all that goes into it, so an image is never stale.
cached() {
  local key dir
  key=$({
    echo "$2 $LAB_KERNEL $GUEST_PACKAGES $GUEST_MODULES $TOOLS_PACKAGES"
    cat "$LAB"/lib/{apt,image,common}.sh "$LAB"/guest/*
  } | sha256sum | cut -c1-16)
  dir=$LAB_CACHE/$1-$2-$key
  mkdir -p "$LAB_CACHE"
  [ -e "$dir/complete" ] || under_lock "$LAB_CACHE/build.lock" build_once "$dir" "$2" "$3" >&2 \
    || die "cannot build $1 of $2"
  touch "$dir/complete"
  echo "$dir"
}

build_once() {
  local work=$1.making
  [ ! -e "$1/complete" ] || return 0
  rm -rf "$work"
  mkdir -p "$work"
  # A shell of its own: in a function that is part of a condition, set -e does nothing.
  LAB_SUITE=$LAB_SUITE bash -euo pipefail -c 'LAB=$1; . "$LAB/lib/common.sh"; . "$LAB/lib/apt.sh"
    . "$LAB/lib/image.sh"; "$2" "$3" "$4"' build "$LAB" "$3" "$work" "$2" || return 1
  rm -rf "$1" "$work/apt"
  mv "$work" "$1"
  touch "$1/complete"
  # What nobody used for a month goes.
  find "$LAB_CACHE" -maxdepth 2 -name complete -mtime +30 -printf '%h\0' | xargs -0 -r rm -rf
}

# build_tools DIR SUITE: QEMU with its libraries and its loader.
build_tools() {
  local root=$1/root loader file
  apt_begin "$1/apt" "$2"
  apt_closure $TOOLS_PACKAGES > "$1/packages"
  apt_unpack "$1/packages" "$root"
  mkdir -p "$1/lib" "$1/share"
  loader=$(readlink -f "$root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
  cp "$loader" "$1/loader"
  cp "$root/usr/bin/qemu-system-x86_64" "$1/"
  "$loader" --library-path "$root/usr/lib/x86_64-linux-gnu" --list "$1/qemu-system-x86_64" \
    | awk '$2 == "=>" { print $3 }' | while read -r file; do
    case $file in
      */ld-linux*) ;;
      *) cp -L "$file" "$1/lib/" ;;
    esac
  done
  for file in "$root"/usr/share/seabios/bios*.bin "$root"/usr/share/qemu/{pvh,linuxboot_dma,linuxboot,kvmvapic}.bin; do
    [ ! -e "$file" ] || cp -L "$file" "$1/share/"
  done
  rm -rf "$root"
}

# build_guest DIR SUITE: kernel, initial RAM disk, root image.
build_guest() {
  local dir=$1 root=$1/root release modules module path
  apt_begin "$dir/apt" "$2"
  { apt_closure $GUEST_PACKAGES; apt_kernel "$LAB_KERNEL"; } | sort -u > "$dir/packages"
  apt_unpack "$dir/packages" "$root"
  mkdir -p "$root"/{dev,proc,sys,run,tmp,root,lab,etc,var,mnt}
  printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n' > "$root/etc/passwd"
  printf 'root:x:0:\ntty:x:5:\ndisk:x:6:\nnogroup:x:65534:\n' > "$root/etc/group"
  printf '127.0.0.1 localhost lab\n' > "$root/etc/hosts"
  ln -sf /proc/mounts "$root/etc/mtab"
  ln -sf bash "$root/usr/bin/sh"
  [ -e "$root/usr/bin/awk" ] || ln -s gawk "$root/usr/bin/awk"
  install -m 755 "$LAB/guest/session" "$root/lab-session"

  modules=$root/usr/lib/modules
  release=$(ls "$modules" | head -n 1)
  [ -n "$release" ] || die "no kernel modules in $LAB_KERNEL"
  elf_kernel "$root/boot/vmlinuz-$release" "$dir/kernel"
  rm -rf "$root/boot"
  find "$modules/$release" -name '*.ko.xz' -print0 | xargs -0 -r -n 64 xz -d
  guest_kmod "$root" depmod -b "$root" "$release"

  mkdir -p "$dir/initrd"/{bin,dev,proc,sys,modules,lower,upper,new,job}
  cp "$root/usr/bin/busybox" "$dir/initrd/bin/busybox"
  ln -s busybox "$dir/initrd/bin/sh"
  install -m 755 "$LAB/guest/init" "$dir/initrd/init"
  for module in $GUEST_MODULES; do
    guest_kmod "$root" modprobe -d "$root" -S "$release" --show-depends "$module" 2> /dev/null \
      | awk '$1 == "insmod" { print $2 }'
  done | awk '!seen[$0]++' | while read -r path; do
    cp "$path" "$dir/initrd/modules/"
    basename "$path" >> "$dir/initrd/modules/order"
  done
  pack "$dir/initrd" "$dir/initrd.cpio" "$root/usr/bin/busybox"
  cp "$root/usr/bin/busybox" "$dir/busybox"
  say "root image"
  tree_image "$root" "$dir/root.img" lab-root
  rm -rf "$root" "$dir/initrd"
}

# guest_kmod ROOT NAME ARGUMENT...: the guest's own kmod, under the name that says what it does.
guest_kmod() {
  local root=$1 name=$2
  shift 2
  "$root/usr/lib64/ld-linux-x86-64.so.2" --argv0 "$name" \
    --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/kmod" "$@"
}

# pack DIR FILE BUSYBOX: a directory as a cpio archive, as the kernel takes them.
pack() {
  (cd "$1" && find . -mindepth 1 | sort | "$3" cpio -o -H newc 2> /dev/null) > "$2"
}

# elf_kernel BZIMAGE FILE: takes the compressed kernel out of its wrapping, which saves the guest
# from decompressing it on an emulated CPU. Offsets: Documentation/arch/x86/boot.rst.
elf_kernel() {
  local setup offset length
  setup=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
  offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
  length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
  tail -c +$(((setup + 1) * 512 + offset + 1)) "$1" | head -c "$length" > "$2.packed" || true
  case $(od -An -tx1 -N 4 "$2.packed" | tr -d ' ') in
    28b52ffd) zstd -qdc "$2.packed" > "$2" 2> /dev/null || true ;;
    fd377a58) xz -dc --single-stream "$2.packed" > "$2" 2> /dev/null || true ;;
    02214c18) lz4 -dc "$2.packed" > "$2" 2> /dev/null || true ;;
  esac
  rm -f "$2.packed"
  # As it was, when this host has no program to decompress it with: it boots all the same.
  [ "$(head -c 4 "$2" 2> /dev/null | od -An -tx1 | tr -d ' ')" = 7f454c46 ] || cp "$1" "$2"
}

# shared_image DIR: the image of a directory that seldom changes, by names, sizes and times.
shared_image() {
  local key image
  key=$({
    echo "$1"
    find -H "$1" -printf '%P %y %s %T@ %l\n' | sort
  } | sha256sum | cut -c1-16)
  image=$LAB_CACHE/shared-$key.img
  [ -e "$image" ] || under_lock "$LAB_CACHE/shared.lock" build_shared "$1" "$image" \
    || die "cannot make an image of $1"
  touch "$image"
  find "$LAB_CACHE" -maxdepth 1 -name 'shared-*.img' -mtime +30 -delete
  echo "$image"
}

build_shared() {
  [ -e "$2" ] || { tree_image "$1" "$2.making" shared && mv "$2.making" "$2"; }
}
