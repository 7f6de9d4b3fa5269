# SPDX-License-Identifier: Apache-2.0
#
# Debian packages: which ones, how they get into the cache, and what is taken out of them.

busybox_package=busybox-static

# The package lists hold the checksum of every package, so the key names contents, not just versions.
resolve_packages() {
  local records
  # One call for both: each reads all of apt's lists.
  records=$(apt-cache show --no-all-versions linux-image-cloud-amd64 "$busybox_package" 2>/dev/null) || true
  kernel_package=$(field linux-image-cloud-amd64 Depends <<<"$records" | grep -o 'linux-image-[^ ,]*') || true
  [ -n "$kernel_package" ] || die "apt does not know linux-image-cloud-amd64; run: apt-get update"
  busybox_version=$(field "$busybox_package" Version <<<"$records")
  busybox_sha256=$(field "$busybox_package" SHA256 <<<"$records")
  [ -n "$busybox_sha256" ] || die "apt cannot download $busybox_package; run: apt-get update"
  records=$(apt-cache show --no-all-versions "$kernel_package" 2>/dev/null) || true
  kernel_version=$(field "$kernel_package" Version <<<"$records")
  kernel_sha256=$(field "$kernel_package" SHA256 <<<"$records")
  [ -n "$kernel_sha256" ] || die "apt cannot download $kernel_package; run: apt-get update"
}

# field PACKAGE NAME: that field of the package, from the records on standard input.
field() {
  awk -v package="$1" -v name="$2:" '
    $1 == "Package:" { current = $2 }
    $1 == name && current == package && !seen { sub(/^[^ ]* /, ""); print; seen = 1 }'
}

# fetch: have the packages in the cache that standard input names, "package version sha256" a line.
# The cache may be shared: a file appears in it under its checksum by one rename, after it was checked.
fetch() {
  local package version sha256 folder file sum wanted=()
  local -A missing=()
  while read -r package version sha256; do
    if [ ! -f "$cache/$sha256.deb" ]; then
      wanted+=("$package=$version")
      missing[$sha256]="$package $version"
    fi
  done
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "fetching ${#wanted[@]} packages"
  mkdir -p -- "$cache"
  # What was being copied when a build was killed; no copy takes an hour.
  find "$cache" -maxdepth 1 -type f -name '.*.*' -mmin +60 -delete
  folder=$(mktemp -d "$work/download.XXXXXX")
  # As root apt would rather download as another user, who cannot write here.
  (cd -- "$folder" && apt-get -qq -o APT::Sandbox::User=root download "${wanted[@]}" >&2) ||
    die "cannot download ${wanted[*]}; if they were replaced meanwhile, run: apt-get update"
  for file in "$folder"/*.deb; do
    sum=$(sha256sum <"$file" | cut -d ' ' -f 1)
    [ -n "${missing[$sum]:-}" ] || die "${file##*/} has a wrong checksum"
    unset "missing[$sum]"
    cp -- "$file" "$cache/.$sum.$$"
    mv -- "$cache/.$sum.$$" "$cache/$sum.deb"
    rm -f -- "$file"
  done
  [ ${#missing[@]} -eq 0 ] || die "apt did not download ${missing[*]}"
}

# Virtio and what it depends on, in loading order; ext4 is built into the kernel. virtio_mmio is for
# machines without PCI; fuse is what the agent mounts volumes with.
modules='virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_mmio
  virtio_blk failover net_failover virtio_net virtio-rng fuse'

# unpack takes the few files that are needed out of the packages.
unpack() {
  mkdir -- "$work/linux" "$work/busybox"
  dpkg-deb --fsys-tarfile "$cache/$kernel_sha256.deb" | tar -x -C "$work/linux" --wildcards \
    '*/vmlinuz-*' '*/modules.builtin' '*/kernel/*virtio*' '*/kernel/*failover*' '*/kernel/fs/fuse/fuse.ko*'
  dpkg-deb --fsys-tarfile "$cache/$busybox_sha256.deb" | tar -x -C "$work/busybox"
  cp -- "$work"/linux/boot/vmlinuz-* "$work/kernel"
  busybox=$(find "$work/busybox" -type f -path "*/bin/busybox")
  # Everything in the images is dated like the kernel: the result does not tell when it was made.
  date=$(stat -c %Y "$work"/linux/boot/vmlinuz-*)
}
