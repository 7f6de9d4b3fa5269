# SPDX-License-Identifier: Apache-2.0
#
# The initramfs loads the drivers of the disk and the network and hands over to the disk. It is not
# compressed: the guest would spend more time on unpacking it than the host saves on reading it.

make_initramfs() {
  local tree=$work/initramfs module file number=10
  mkdir -p -- "$tree/bin" "$tree/modules" "$tree/dev" "$tree/proc" "$tree/root"
  cp -- "$busybox" "$tree/bin/busybox"
  for file in sh mount insmod switch_root; do ln -s busybox "$tree/bin/$file"; done
  # The numbers in front keep the loading order.
  for module in $modules; do
    file=$(find "$work/linux" -name "$module.ko" -o -name "$module.ko.xz")
    case $file in
      *.ko) cp -- "$file" "$tree/modules/$number-$module.ko" ;;
      *.ko.xz) xz -dc -- "$file" >"$tree/modules/$number-$module.ko" ;;
      *) # a kernel may have it built in
        grep -q -e "/$module.ko$" -r "$work/linux" --include=modules.builtin ||
          die "$kernel_package has no module $module"
        ;;
    esac
    number=$((number + 1))
  done
  cp -- "$lib/initramfs/init" "$tree/init"
  chmod 755 "$tree/init" "$tree/bin/busybox"
  chmod 644 "$tree"/modules/*
  pack "$tree" >"$work/initrd"
}

# pack TREE: the tree as a cpio archive that depends on nothing but its contents.
pack() {
  find "$1" -exec touch -h -d "@$date" {} +
  (cd -- "$1" && find . -mindepth 1 | sort |
    "$busybox" cpio -o -H newc -R 0:0 --ignore-devno --renumber-inodes 2>/dev/null)
}
