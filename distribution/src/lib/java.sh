# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# Finds a JDK and says what goes on its paths. Sourced with $home set; sets $java, $java_version,
# $java_major, $java_quiet, $modules, $classes, $serve_options and $serve_archive. It starts no
# program where it can: each costs every command a millisecond.

# A start-up archive that does not fit is no news to anybody; errors are.
java_quiet='-Xlog:disable -Xlog:all=error,cds*=off:stderr'

# try_java HOME: take the JDK or JRE there if it is there and new enough.
try_java() {
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  java_version=
  while IFS= read -r line; do
    case $line in
      JAVA_VERSION=*)
        java_version=${line#JAVA_VERSION=}
        java_version=${java_version#\"}
        java_version=${java_version%\"}
        ;;
    esac
  done <"$1/release"
  java_major=${java_version%%[!0-9]*}
  [ "${java_major:-0}" -ge 17 ] || return 1
  # What older ones do not know they refuse.
  [ "$java_major" -lt 25 ] || java_quiet='-Xlog:disable -Xlog:all=error,cds*=off,aot*=off:stderr'
  java=$1/bin/java
}

find_java() {
  if [ -n "${RAMET_JAVA_HOME:-}" ]; then
    try_java "$RAMET_JAVA_HOME" && return
    echo "error: RAMET_JAVA_HOME=$RAMET_JAVA_HOME holds no Java 17 or newer" >&2
    exit 5
  fi
  if [ -n "${JAVA_HOME:-}" ] && try_java "$JAVA_HOME"; then return; fi
  for wanted in 25 21 17; do
    for candidate in /usr/lib/jvm/*; do
      case $candidate in
        *[!0-9]"$wanted"[!0-9]* | *[!0-9]"$wanted")
          if try_java "$candidate" && [ "$java_major" = $wanted ]; then return; fi
          ;;
      esac
    done
  done
  if candidate=$(command -v java) && candidate=$(readlink -f "$candidate") &&
    try_java "${candidate%/bin/java}"; then return; fi
  echo "error: Ramet needs Java 17 or newer (25 starts fastest), and none was found" >&2
  echo "  apt-get install openjdk-17-jre-headless    (or 21, 25), or set RAMET_JAVA_HOME" >&2
  exit 5
}

# join VARIABLE FILE…: the files that exist, with colons between.
join() {
  joined=
  into=$1
  shift
  for file in "$@"; do
    if [ -f "$file" ]; then joined=$joined${joined:+:}$file; fi
  done
  eval "$into=\$joined"
}

# Nothing of a host is there.
cli_path() {
  join classes "$home"/lib/host/ramet-cli-*.jar "$home"/lib/host/picocli-*.jar \
    "$home"/lib/host/httpcore5-*.jar "$home"/lib/modules/dev.ramet.errors-*.jar "$home"/lib/modules/dev.ramet.api-*.jar \
    "$home"/lib/modules/dev.ramet.agent-*.jar \
    "$home"/lib/modules/dev.ramet.config-*.jar \
    "$home"/lib/modules/dev.ramet.spi-*.jar \
    "$home"/lib/modules/snakeyaml-*.jar \
    "$home"/lib/modules/dev.ramet.files-*.jar \
    "$home"/lib/modules/dev.ramet.keys-*.jar \
    "$home"/lib/modules/dev.ramet.certificates-*.jar \
    "$home"/lib/modules/jackson-core-*.jar \
    "$home"/lib/modules/jackson-annotations-*.jar "$home"/lib/modules/jackson-databind-*.jar \
    "$home"/lib/host/commons-*.jar
}

# Shells sort file names, but each by its own locale's rules; the list must always be the same.
host_paths() {
  modules=$home/lib/modules
  classes=$(LC_ALL=C; join list "$home"/lib/host/*.jar; echo "$list")
}

# has_plugins ARGUMENT…: whether the host may have plugins of third parties: there is a jar in their
# folder, or a setting that only the host understands may name another folder.
has_plugins() {
  for plugin in "${RAMET_PLUGINS_DIR:-$home/plugins}"/*/*.jar; do
    if [ -e "$plugin" ]; then return 0; fi
  done
  # The file that the host will read.
  settings=${RAMET_CONFIG:-$home/conf/ramet.yaml}
  if [ -z "${RAMET_CONFIG:-}" ] && ! [ -e "$settings" ]; then settings=/etc/ramet/ramet.yaml; fi
  if [ -r "$settings" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      case ${line#"${line%%[! ]*}"} in
        '#'*) ;;
        *plugins*) return 0 ;;
      esac
    done <"$settings"
  fi
  case "$* ${RAMET_JAVA_OPTS:-}" in
    *plugins* | *config*) return 0 ;;
  esac
  return 1
}

# serve_options deny|: what the host runs with; an archive fits only the options it was made with,
# and there is one of each kind. Sets $serve_archive, without the end of its name.
#
# Native access that is not granted has to be denied expressly from 24 on, to plugins that is: all
# else is ours. Without any, Java starts a third faster, as it can keep its graph of modules.
#
# The first compiler alone: the host waits for the kernel and for machines, and with the second at
# work beside it a start on two processors takes half as long again.
serve_options() {
  serve_options='-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms48m -Xmn32m -Xmx512m -Xss512k'
  serve_archive=$home/lib/archives/serve-$java_version
  if [ "$java_major" -ge 22 ]; then
    serve_options="$serve_options --enable-native-access=com.sun.jna,dev.ramet.linux,dev.ramet.pluginhost,io.netty.common,ALL-UNNAMED"
  fi
  if [ "$1" = deny ] && [ "$java_major" -ge 24 ]; then
    serve_options="$serve_options --illegal-native-access=deny"
    serve_archive=$home/lib/archives/serve-plugins-$java_version
  fi
}
