# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What quickstart and check share. Sourced with $root set to the project's directory.

export PATH="$PATH:/usr/sbin:/sbin" # where mkfs and its like are, and what a user's PATH lacks
export LC_ALL=C.UTF-8

say() { printf '%s\n' "$*"; }
die() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '  %s\n' "${@:2}" >&2
  exit 1
}

# task LABEL COMMAND…: run it with its output in $log, one line here: what, and how long it took.
# On a terminal the line moves meanwhile. On failure the end of the log is shown.
task() {
  begin "$log" "$@"
  await
}

# begin LOG LABEL COMMAND…: start a task whose end await waits for. Several may be under way.
task_pids=() task_logs=() task_labels=() task_starts=()
begin() {
  local file=$1 label=$2
  shift 2
  # A group of its own, so that it can be ended with all that it started.
  set -m
  "$@" </dev/null >"$file" 2>&1 &
  set +m
  task_pids+=($!) task_logs+=("$file") task_labels+=("$label") task_starts+=("$SECONDS")
}

# await: wait for every task that was begun. The status is that of the last one that failed.
task_failures=()
await() {
  local i line outcome result=0 wheel='|/-\' turn=0
  task_failures=()
  while [ ${#task_pids[@]} -gt 0 ]; do
    line=
    for i in "${!task_pids[@]}"; do
      if kill -0 "${task_pids[i]}" 2>/dev/null; then
        line+="${line:+, }${task_labels[i]} $((SECONDS - task_starts[i]))s $(task_progress "${task_logs[i]}")"
        continue
      fi
      outcome=0
      wait "${task_pids[i]}" || outcome=$?
      if [ -t 1 ]; then printf '\r\033[K'; fi
      if [ $outcome -ne 0 ]; then
        result=$outcome
        task_failures+=("${task_labels[i]}")
        say "  ${task_labels[i]}: failed after $((SECONDS - task_starts[i]))s, and the last it said was:"
        tail -n 30 "${task_logs[i]}" | sed 's/^/    /'
      else
        say "  ${task_labels[i]}: $((SECONDS - task_starts[i]))s"
      fi
      unset "task_pids[i]"
    done
    if [ -t 1 ]; then printf '\r\033[K  %s %s' "${wheel:turn++%4:1}" "${line:0:${COLUMNS:-100}}"; fi
    if [ -n "$line" ]; then sleep 0.3; fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
  task_pids=() task_logs=() task_labels=() task_starts=()
  return $result
}

# task_failed LABEL: whether that task was among those that failed while the last await waited.
task_failed() {
  local label
  for label in "${task_failures[@]}"; do
    if [ "$label" = "$1" ]; then return 0; fi
  done
  return 1
}

# end_tasks: end what was begun and not awaited, and wait until it has cleaned up.
end_tasks() {
  local pid
  for pid in "${task_pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
  for pid in "${task_pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  task_pids=()
}

# task_progress LOG: the module Maven is at, or how many tests JUnit's launcher has run.
task_progress() {
  sed -n 's/^\[INFO\] Building \(.*\) \[\([0-9]*\/[0-9]*\)\]$/\2 \1/p
    s/^.* :: \(SUCCESSFUL\|FAILED\|ABORTED\)$/tests/p' "$1" 2>/dev/null |
    awk '$0 == "tests" { n++; next } { last = $0 } END { if (n) print n " tests"; else if (last) print last }'
}

is_root() { [ "$(id -u)" = 0 ]; }
has() { command -v "$1" >/dev/null; }

# A JDK that can build, newest first: sets JAVA_HOME. A JAVA_HOME that was set is kept if it can.
find_jdk() {
  local candidate wanted
  for candidate in "${JAVA_HOME:-}" $(for wanted in 25 21 17; do ls -d /usr/lib/jvm/*[-.]"$wanted"[-.]* 2>/dev/null; done) \
    "$(readlink -f "$(command -v javac)" 2>/dev/null | sed 's,/bin/javac$,,')"; do
    if [ -n "$candidate" ] && [ -x "$candidate/bin/javac" ] && [ "$(jdk_version "$candidate")" -ge 17 ]; then
      export JAVA_HOME=$candidate
      return 0
    fi
  done
  return 1
}

jdk_version() {
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
  echo "${version:-0}"
}

# missing NEED…: those of `program:package` whose program is not there, as packages.
missing() {
  local need
  for need in "$@"; do has "${need%%:*}" || echo "${need##*:}"; done
}

apt_knows() { [ -n "$(apt-cache show --no-all-versions "$1" 2>/dev/null)" ]; }

newest_jdk_package() {
  local wanted
  for wanted in 25 21 17; do
    if apt_knows "openjdk-$wanted-jdk-headless"; then
      echo "openjdk-$wanted-jdk-headless"
      return
    fi
  done
  echo openjdk-17-jdk-headless
}

# provide NEED…: install what is missing, in one call; where that is not possible, say what is
# missing and how to get it. Needs that start with a question mark are welcome, not required.
provide() {
  local needed=() welcome=() need packages
  for need in "$@"; do
    case $need in
      '?'*) welcome+=("${need#?}") ;;
      *) needed+=("$need") ;;
    esac
  done
  mapfile -t packages < <(missing "${needed[@]}" "${welcome[@]}" | sort -u)
  if has apt-get && is_root; then
    # Also the default template's recipe downloads packages: it needs apt's lists.
    if ! apt_knows linux-image-cloud-amd64; then task "reading apt's package lists" apt-get -qq update || true; fi
    find_jdk || packages+=("$(newest_jdk_package)")
    if [ ${#packages[@]} -gt 0 ]; then
      task "installing ${packages[*]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" ||
        die "apt-get could not install ${packages[*]}" "its output is in $log"
    fi
  fi
  hash -r
  mapfile -t packages < <(missing "${welcome[@]}" | sort -u)
  [ ${#packages[@]} -eq 0 ] || say "  goes on without: ${packages[*]} (to have them, as root: apt-get install ${packages[*]})"
  mapfile -t packages < <(missing "${needed[@]}" | sort -u)
  find_jdk || packages+=("$(newest_jdk_package)")
  if [ ${#packages[@]} -gt 0 ]; then
    die "missing: ${packages[*]}" "as root on Debian: apt-get install ${packages[*]}" \
      "elsewhere: the packages that bring $(IFS=,; echo "${packages[*]}") in your distribution"
  fi
}

# install_packages FOLDER: Node.js packages, exactly what the folder's lock file says, into its
# node_modules, which git ignores. Two who want the same wait for one another.
install_packages() {
  (
    flock 9
    cmp -s "$1/package-lock.json" "$1/node_modules/.installed" || {
      (cd "$1" && npm ci --ignore-scripts --loglevel error >&2) &&
        cp "$1/package-lock.json" "$1/node_modules/.installed"
    }
  ) 9<"$1"
}

# What building takes, and what running takes beside it.
build_needs=(mvn:maven go:golang-go)
run_needs=(qemu-system-x86_64:qemu-system-x86 mke2fs:e2fsprogs debugfs:e2fsprogs xz:xz-utils
  dpkg-deb:dpkg apt-get:apt flock:util-linux '?mkfs.xfs:xfsprogs' '?losetup:mount' '?mount:mount')

# What the lab takes beside it.
lab_needs=(setpriv:util-linux zstd:zstd tar:tar cc:gcc)

maven() { mvn -B -f "$root/pom.xml" "$@"; }
