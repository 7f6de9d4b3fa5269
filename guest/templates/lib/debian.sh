# SPDX-License-Identifier: Apache-2.0
#
# A Debian userland in a directory, by anybody: packages are unpacked, and what their scripts would
# do is done here. No script of theirs runs, so neither root nor a container is needed, and the
# result is the same for everyone. The data base of dpkg is complete: apt works in the guest.

debian_packages='base-files base-passwd bash coreutils dash debianutils diffutils findutils grep gzip
  hostname login mawk ncurses-base ncurses-bin passwd sed tar util-linux bsdutils mount libc-bin
  libpam-modules libpam-runtime sudo apt dpkg debian-archive-keyring ca-certificates netbase tzdata
  python3 python3-pip python3-venv git curl wget attr acl openssh-client
  procps psmisc iproute2 iputils-ping less nano file jq xz-utils bzip2 zip unzip'

# An apt that knows this host's archives and takes no package for installed.
clean_apt() {
  local program=$1
  shift
  "$program" -o Dir::State::status=/dev/null -o APT::Install-Recommends=false \
    -o APT::Architectures=amd64 -o APT::Architecture=amd64 "$@"
}

# $debian_closure: all that $debian_packages depend on, "package version sha256" a line.
resolve() {
  local names
  # shellcheck disable=SC2086 # names
  names=$(clean_apt apt-get -qq -s install $debian_packages 2>/dev/null | awk '$1 == "Inst" { print $2 }') || true
  [ -n "$names" ] || die "apt does not know all of: $debian_packages; run: apt-get update"
  # shellcheck disable=SC2086 # names
  debian_closure=$(clean_apt apt-cache show --no-all-versions $names | awk '
    $1 == "Package:" { package = $2 }
    $1 == "Version:" { version = $2 }
    $1 == "SHA256:" && !seen[package]++ { print package, version, $2 }' | sort)
  [ "$(wc -l <<<"$debian_closure")" = "$(wc -w <<<"$names")" ] || die "apt knows too little; run: apt-get update"
}

key_inputs() { printf '%s\n' "$debian_closure"; }
packages() { printf '%s\n' "$debian_closure"; }

lay_out_debian() {
  local applet
  mkdir -p -- "$tree"/usr/{bin,sbin,lib,lib64} "$tree"/{dev,proc,sys,run,tmp,mnt,opt,srv,etc,root,home/user,var/{log,tmp,lib}}
  for applet in bin sbin lib lib64; do ln -s "usr/$applet" "$tree/$applet"; done
  unpack_packages
  write_accounts
  write_authentication
  write_alternatives
  write_certificates
  write_sources
  write_start
  compile_python
}

# All packages, and what dpkg knows of them.
unpack_packages() {
  local package version sha256 deb control=$work/control info=$tree/var/lib/dpkg/info prefix file
  mkdir -p -- "$info" "$tree/var/lib/dpkg/updates" "$tree/var/lib/dpkg/alternatives"
  printf '1\n' >"$info/format"
  : >"$tree/var/lib/dpkg/available"
  while read -r package version sha256; do
    deb=$cache/$sha256.deb
    # Manuals, translations and histories of changes are a third of it all; nobody reads them here.
    # Twice verbose, tar lists owners too.
    dpkg-deb --fsys-tarfile "$deb" | tar -x -p -vv --numeric-owner -C "$tree" --keep-directory-symlink \
      --exclude './usr/share/man/*' --exclude './usr/share/locale/*' --exclude './usr/share/info/*' \
      --exclude './usr/share/doc/*/changelog*' >"$work/listing"
    awk '$2 != "0/0" {
      split($2, owner, "/")
      path = substr($0, index($0, " ./") + 2)
      sub("^/(bin|sbin|lib|lib64)/", "/usr&", path)
      sub("/$", "", path)
      print owner[1], owner[2], path
    }' "$work/listing" >>"$work/owners"

    rm -rf -- "$control"
    dpkg-deb -e "$deb" "$control"
    prefix=$package
    if grep -q '^Multi-Arch: same' "$control/control"; then prefix=$package:amd64; fi
    sed '/^Package:/a Status: install ok installed' "$control/control" >>"$tree/var/lib/dpkg/status"
    echo >>"$tree/var/lib/dpkg/status"
    rm -f -- "$control/control"
    for file in "$control"/*; do
      if [ -f "$file" ]; then cp -p -- "$file" "$info/$prefix.${file##*/}"; fi
    done
    sed -n 's:^[^ ]* [^ ]* .* \./:/:p' "$work/listing" | sed -e 's: -> .*::' -e 's: link to .*::' -e 's:/$::' -e 's:^$:/.:' \
      >"$info/$prefix.list"
  done <<<"$debian_closure"
  chmod 755 "$info"
}

write_accounts() {
  local etc=$tree/etc
  cp -- "$tree/usr/share/base-passwd/passwd.master" "$etc/passwd"
  cp -- "$tree/usr/share/base-passwd/group.master" "$etc/group"
  sed -i -e 's/^root:\*:/root:x:/' -e 's/^\([^:]*\):\*:/\1:x:/' "$etc/passwd"
  printf '_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\nuser:x:1000:1000:user:/home/user:/bin/bash\n' >>"$etc/passwd"
  sed -i -e 's/^sudo:\*:27:$/sudo:x:27:user/' -e 's/^\([^:]*\):\*:/\1:x:/' "$etc/group"
  printf 'user:x:1000:\n' >>"$etc/group"
  awk -F : '{ print $1 ":*:19000:0:99999:7:::" }' "$etc/passwd" >"$etc/shadow"
  awk -F : '{ print $1 ":*::" }' "$etc/group" >"$etc/gshadow"
  chmod 644 "$etc/passwd" "$etc/group"
  chmod 640 "$etc/shadow" "$etc/gshadow"
  printf '0 42 /etc/shadow\n0 42 /etc/gshadow\n' >>"$work/owners"
  printf 'user ALL=(ALL:ALL) NOPASSWD: ALL\n' >"$etc/sudoers.d/user"
  chmod 440 "$etc/sudoers.d/user"
  cp -- "$etc/skel/.bashrc" "$etc/skel/.profile" "$etc/skel/.bash_logout" "$tree/home/user/"
  cp -- "$tree"/usr/share/base-files/dot.bashrc "$tree/root/.bashrc"
  cp -- "$tree"/usr/share/base-files/dot.profile "$tree/root/.profile"
  cp -- "$tree"/usr/share/base-files/profile "$etc/profile"
  chmod 700 "$tree/root"
  chmod 755 "$tree/home/user"
  chmod 1777 "$tree/tmp" "$tree/var/tmp"
}

# Nobody has a password: what may be done without one is what sudoers says.
write_authentication() {
  local pam=$tree/etc/pam.d
  printf 'auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\nauth required pam_permit.so\n' >"$pam/common-auth"
  printf 'account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so\naccount requisite pam_deny.so\naccount required pam_permit.so\n' >"$pam/common-account"
  printf 'session required pam_permit.so\nsession required pam_unix.so\n' >"$pam/common-session"
  cp -- "$pam/common-session" "$pam/common-session-noninteractive"
  printf 'password [success=1 default=ignore] pam_unix.so obscure yescrypt\npassword requisite pam_deny.so\npassword required pam_permit.so\n' >"$pam/common-password"
}

write_alternatives() {
  local link target
  mkdir -p -- "$tree/etc/alternatives"
  while read -r link target; do
    [ -e "$tree/usr/bin/$target" ] || continue
    [ ! -e "$tree/usr/bin/$link" ] || continue
    ln -s "/usr/bin/$target" "$tree/etc/alternatives/$link"
    ln -s "/etc/alternatives/$link" "$tree/usr/bin/$link"
  done <<<'awk mawk
pager less
editor nano
which which.debianutils'
  # Debian has only python3; everybody else's scripts say python.
  [ -e "$tree/usr/bin/python" ] || ln -s python3 "$tree/usr/bin/python"
  [ -e "$tree/usr/bin/sh" ] || ln -s dash "$tree/usr/bin/sh"
  # This machine is thrown away: nothing here has to be kept from pip.
  printf '[global]\nbreak-system-packages = true\nroot-user-action = ignore\n' >"$tree/etc/pip.conf"
}

write_certificates() {
  local all=$tree/etc/ssl/certs/ca-certificates.crt
  mkdir -p -- "${all%/*}" "$tree/usr/lib/ssl"
  (cd -- "$tree/usr/share/ca-certificates" && find . -name '*.crt' | sort | while read -r file; do
    printf '%s\n' "${file#./}" >>"$tree/etc/ca-certificates.conf"
    cat -- "$file"
  done) >"$all"
  # What looks for one file finds it here; the folder of links by hash is made by update-ca-certificates.
  ln -sf /etc/ssl/certs/ca-certificates.crt "$tree/usr/lib/ssl/cert.pem"
}

# The archives that the packages came from.
write_sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    awk '{ print "deb", $1, $2, $3 }' >"$tree/etc/apt/sources.list"
}

write_start() {
  local applet
  cp -r -- "$lib/rootfs/." "$tree/"
  # What a recipe adds of its own.
  if [ -d "$here/rootfs" ]; then cp -r -- "$here/rootfs/." "$tree/"; fi
  cp -- "$busybox" "$tree/usr/bin/busybox"
  for applet in init reboot poweroff halt; do ln -sf /usr/bin/busybox "$tree/usr/sbin/$applet"; done
  cp -- "$RAMET_AGENT" "$tree/usr/bin/ramet-agent"
  chmod 755 "$tree/usr/bin/busybox" "$tree/usr/bin/ramet-agent" "$tree/etc/init.d/rcS"
  printf 'ramet\n' >"$tree/etc/hostname"
  ln -sf /proc/mounts "$tree/etc/mtab"
  ln -sf ../run "$tree/var/run"
  ln -sf /usr/share/zoneinfo/Etc/UTC "$tree/etc/localtime"
}

# Python's library as bytecode, by the guest's own Python: in one process, for it would start others
# with the host's libraries. Neither dated nor left to imports, so that it is the same always.
compile_python() {
  local root=$tree
  "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
    "$(readlink -f "$root/usr/bin/python3")" -I -S -B -m compileall -q -f --invalidation-mode unchecked-hash \
    -s "$root" -p / "$root"/usr/lib/python3*/ >"$work/compile.log" 2>&1 ||
    say "some of Python's library does not compile: $(grep -c '^\*\*\*' "$work/compile.log") files"
}
