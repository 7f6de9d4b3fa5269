# SPDX-License-Identifier: Apache-2.0
#
# The root file system: of the tree that the recipe's lay_out_tree leaves in $tree.

make_rootfs() {
  tree=$work/rootfs
  lay_out_tree
  find "$tree" -exec touch -h -d "@$date" {} +
  make_file_system -d "$tree"
  finish_inodes
}

# make_file_system OPTION...: an ext4 in rootfs.raw, by mke2fs with these options too.
make_file_system() {
  truncate -s "${disk_mb}M" "$work/rootfs.raw"
  local uuid=${key:0:8}-${key:8:4}-4${key:13:3}-a${key:17:3}-${key:20:12}
  # lazy_itable_init=0, lazy_journal_init=0: nothing is left for the guest to initialise; on a
  #   fresh sparse file zeroes cost nothing.
  # -J size: a small journal, since every block that is written once is part of every later clone.
  # -m 0: what df shows as free can be used.
  # hash_seed, -U and E2FSPROGS_FAKE_TIME take the chance out of the result.
  E2FSPROGS_FAKE_TIME=$date mke2fs -q -t ext4 -b 4096 -I 256 -m 0 -L ramet-root -U "$uuid" -J size=4 \
    -E "root_owner=0:0,hash_seed=$uuid,lazy_itable_init=0,lazy_journal_init=0" \
    "$@" "$work/rootfs.raw"
}

# Owners are written into the finished image, so that the result is the same whoever builds it;
# mke2fs would copy those of the tree, and only root can make a tree with others than its own. The
# time of the last change is the one date that a tree cannot be given beforehand.
#
# All is root's but what is in /home/user, and what $work/owners says: "uid gid /path" a line.
finish_inodes() {
  (cd -- "$tree" && find . -printf '/%P\n') |
    awk -v date="@$date" -v owners="$work/owners" '
      BEGIN {
        while ((getline line <owners) > 0) {
          split(line, word, " ")
          path = substr(line, length(word[1]) + length(word[2]) + 3)
          uid[path] = word[1]
          gid[path] = word[2]
        }
      }
      {
        own = $0 ~ "^/home/user(/|$)" ? 1000 : 0
        printf "set_inode_field \"%s\" uid %s\n", $0, ($0 in uid) ? uid[$0] : own
        printf "set_inode_field \"%s\" gid %s\n", $0, ($0 in gid) ? gid[$0] : own
        printf "set_inode_field \"%s\" ctime %s\n", $0, date
      }' >"$work/inodes"
  E2FSPROGS_FAKE_TIME=$date debugfs -w -f "$work/inodes" "$work/rootfs.raw" >"$work/inodes.log" 2>&1
  if grep -v -e '^debugfs' "$work/inodes.log" >&2; then die "could not finish the image"; fi
}
