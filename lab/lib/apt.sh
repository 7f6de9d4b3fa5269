# SPDX-License-Identifier: Apache-2.0
# Debian packages of any suite, fetched and verified by apt from the archives this host is set up
# for, unpacked without being installed. Sourced, not run.

# archive LABEL: where this host's own apt gets an archive from; nothing here names a server.
archive() {
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' \
    | awk -F'|' -v label="$1" '$1 == label { sub("/$", "", $2); print $2; exit }'
}

# apt_begin DIR SUITE: makes DIR an apt of its own, with an empty package data base.
apt_begin() {
  local dir=$1 suite=$2 main security keys=/usr/share/keyrings/debian-archive-keyring.gpg
  main=$(archive Debian)
  security=$(archive Debian-Security)
  [ -n "$main" ] || die "this host's apt knows no Debian archive"
  mkdir -p "$dir/lists/partial" "$dir"/etc/{apt.conf.d,preferences.d} "$LAB_CACHE/packages/partial"
  : > "$dir/status"
  {
    echo "deb [signed-by=$keys] $main $suite main"
    [ "$suite" = sid ] || echo "deb [signed-by=$keys] $main $suite-updates main"
    [ "$suite" = sid ] || [ -z "$security" ] || echo "deb [signed-by=$keys] $security $suite-security main"
  } > "$dir/sources.list"
  cat > "$dir/apt.conf" << CONF
Dir::State "$dir";
Dir::State::status "$dir/status";
Dir::Cache "$dir";
Dir::Cache::archives "$LAB_CACHE/packages";
Dir::Etc "$dir/etc";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "-";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
CONF
  export APT_CONFIG=$dir/apt.conf
  say "package lists of $suite"
  apt-get update -qq
}

# apt_closure PACKAGE...: the packages and all they depend on, a "name version" a line.
apt_closure() {
  apt-get install -qq -s "$@" | awk '$1 == "Inst" { gsub(/[()]/, "", $3); print $2, $3 }'
}

# apt_kernel META: the image that a meta package stands for. Not what it depends on, which is there
# to make an initial RAM disk.
apt_kernel() {
  apt-cache show --no-all-versions "$1" | sed -n 's/^Depends: //p' | tr ',|' '\n\n' \
    | awk '$1 ~ /^linux-(image|binary|modules)-[0-9]/ { print $1 }' | sort -u \
    | while read -r name; do
      apt-cache show --no-all-versions "$name" \
        | awk -v name="$name" '$1 == "Version:" && !seen++ { print name, $2 }'
    done
}

# apt_unpack LIST ROOT: fetches what the list names and unpacks it.
apt_unpack() {
  local name version file root=$2
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
  for name in bin sbin lib lib64; do
    ln -sfn "usr/$name" "$root/$name"
  done
  while read -r name version; do
    file=$LAB_CACHE/packages/${name}_${version//:/%3a}_
    compgen -G "$file*.deb" > /dev/null || echo "$name=$version"
  done < "$1" > "$1.missing"
  say "$(wc -l < "$1.missing") of $(wc -l < "$1") packages to fetch"
  [ ! -s "$1.missing" ] || (cd "$LAB_CACHE/packages" && xargs -a "$1.missing" apt-get download -qq)
  while read -r name version; do
    file=$(compgen -G "$LAB_CACHE/packages/${name}_${version//:/%3a}_*.deb" | head -n 1)
    dpkg-deb --fsys-tarfile "$file" | tar -x -p -C "$root" --keep-directory-symlink --no-same-owner \
      --exclude './usr/share/doc/*' --exclude './usr/share/man/*' --exclude './usr/share/locale/*'
  done < "$1"
}
