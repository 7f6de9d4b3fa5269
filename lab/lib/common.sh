# SPDX-License-Identifier: Apache-2.0
# Shared by the lab's scripts: where things are, messages, locks. Sourced, not run.

LAB_SUITE=${LAB_SUITE:-trixie}
# Whose QEMU runs the guest. 7.2 (bookworm) is not safe with two virtual CPUs: cmpxchg16b spoils
# flags. A newer one, unpacked beside its own libraries, runs on any host of this architecture.
LAB_TOOLS_SUITE=${LAB_TOOLS_SUITE:-trixie}
LAB_KERNEL=${LAB_KERNEL:-linux-image-cloud-amd64}
LAB_CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ramet-lab}

die() {
  echo "lab: $*" >&2
  exit 125
}

say() {
  [ -z "${LAB_VERBOSE:-}" ] || echo "lab: ${SECONDS}s $*" >&2
}

# under_lock FILE COMMAND...: one builder of a cached thing at a time.
under_lock() {
  local file=$1
  shift
  (
    flock 9
    "$@"
  ) 9> "$file"
}

# quoted TEXT: as one word for a shell.
quoted() {
  printf "'%s'" "${1//\'/\'\\\'\'}"
}

# tree_image DIR IMAGE LABEL: an ext4 image that holds a directory, made without mounting anything.
tree_image() {
  local kib inodes
  # Whole blocks for files, one for everything else, and some slack for the file system itself.
  read -r kib inodes < <(find -H "$1" -printf '%y %s\n' \
    | awk '{ n++; kib += $1 == "f" ? int(($2 + 4095) / 4096) * 4 : 4 } END { print kib + 0, n + 0 }')
  mke2fs -q -F -t ext4 -b 4096 -m 0 -L "$3" -N $((inodes + inodes / 16 + 64)) \
    -O ^has_journal,^resize_inode,^metadata_csum -E root_owner=0:0,nodiscard \
    -d "$1" "$2" $((kib + kib / 16 + inodes / 3 + 8192))k > /dev/null
}
