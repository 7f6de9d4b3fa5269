# SPDX-License-Identifier: Apache-2.0
#
# The root file system.

make_rootfs() {
  tree=$work/rootfs
  lay_out_tree
  find "$tree" -exec touch -h -d "@$date" {} +
  truncate -s "${disk_mb}M" "$work/rootfs.raw"
  local uuid=${key:0:8}-${key:8:4}-4${key:13:3}-a${key:17:3}-${key:20:12}
  # lazy_itable_init=0, lazy_journal_init=0: nothing is left for the guest to initialise; on a
  #   fresh sparse file zeroes cost nothing.
  # -J size: a small journal, since every block that is written once is part of every later clone.
  # -m 0: what df shows as free can be used.
  # hash_seed, -U and E2FSPROGS_FAKE_TIME take the chance out of the result.
  E2FSPROGS_FAKE_TIME=$date mke2fs -q -t ext4 -b 4096 -I 256 -m 0 -L ramet-root -U "$uuid" -J size=4 \
    -E "root_owner=0:0,hash_seed=$uuid,lazy_itable_init=0,lazy_journal_init=0" \
    -d "$tree" "$work/rootfs.raw"
  finish_inodes
}

lay_out_tree() {
  local applet
  mkdir -p -- "$tree"/{dev,proc,sys,run,tmp,mnt,opt,srv,etc,root,home/user,usr/{bin,sbin,lib,local/bin},var/{log,tmp,lib}}
  chmod 700 "$tree/root"
  chmod 755 "$tree/home/user"
  chmod 1777 "$tree/tmp" "$tree/var/tmp"
  for applet in bin sbin lib; do ln -s "usr/$applet" "$tree/$applet"; done
  ln -s ../run "$tree/var/run"

  cp -- "$busybox" "$tree/usr/bin/busybox"
  "$busybox" --list-full | while read -r applet; do
    applet=${applet#usr/}
    [ "$applet" = bin/busybox ] || ln -sf /bin/busybox "$tree/usr/$applet"
  done
  # Clients start commands with bash; busybox's shell understands what they pass.
  printf '#!/bin/sh\nexec /bin/sh "$@"\n' >"$tree/usr/bin/bash"
  cp -- "$RAMET_AGENT" "$tree/usr/bin/ramet-agent"
  chmod 755 "$tree"/usr/bin/{busybox,bash,ramet-agent}

  cp -r -- "$here/rootfs/." "$tree/"
  printf 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:*:65534:65534:nobody:/:/bin/false\n' >"$tree/etc/passwd"
  printf 'root:x:0:\ntty:x:5:\nuser:x:1000:\nnogroup:x:65534:\n' >"$tree/etc/group"
  printf 'ramet\n' >"$tree/etc/hostname"
  ln -s /proc/mounts "$tree/etc/mtab"
  chmod 755 "$tree/etc/init.d/rcS"
}

# Owners are written into the finished image, so that the result is the same whoever builds it;
# mke2fs would copy those of the tree, and only root can make a tree with others than its own. The
# time of the last change is the one date that a tree cannot be given beforehand.
finish_inodes() {
  local path owner
  while read -r path; do
    owner=0
    case $path in /home/user*) owner=1000 ;; esac
    printf 'set_inode_field "%s" %s\n' "$path" "uid $owner" "$path" "gid $owner" "$path" "ctime @$date"
  done < <(cd -- "$tree" && find . -printf '/%P\n') >"$work/inodes"
  E2FSPROGS_FAKE_TIME=$date debugfs -w -f "$work/inodes" "$work/rootfs.raw" >"$work/inodes.log" 2>&1
  if grep -v -e '^debugfs' "$work/inodes.log" >&2; then die "could not finish the image"; fi
}
