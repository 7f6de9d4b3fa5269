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
  await "$1"
}

# begin LOG LABEL COMMAND…: start a task whose end await waits for. Several may be under way.
task_pids=() task_logs=() task_labels=() task_pid=
begin() { begin_after '' "$@"; }

# begin_after PID LOG LABEL COMMAND…: the same, but once that process is gone. $task_pid is the task's.
begin_after() {
  local file=$2
  rm -f -- "$file.began" "$file.used"
  # A group of its own, so that it can be ended with all that it started.
  set -m
  run_task "$1" "$file" "${@:4}" </dev/null >"$file" 2>&1 &
  set +m
  task_pid=$!
  task_pids+=($!) task_logs+=("$file") task_labels+=("$3")
}

# run_task PID LOG COMMAND…: notes when the command began and the processors' time that it took.
run_task() {
  if [ -n "$1" ]; then tail --pid="$1" -f /dev/null; fi
  # Who began it may have been killed meanwhile.
  kill -0 $$ || return 1
  echo "$EPOCHSECONDS" >"$2.began"
  # The command may be a function: in a shell of its own it sets no variable here, and what fails in
  # it ends it wherever the task is not in a condition itself.
  set +e
  (set -e; "${@:3}")
  local status=$?
  times >"$2.used"
  return $status
}

# task_used LOG: the processors' time of the programs that the task of this log waited for, in seconds.
task_used() {
  # Its second line is about them: user and system time, such as 1m2.345s.
  awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }' "$1.used" 2>/dev/null || true
}

# task_seconds LOG: how long the task of this log has been at work.
task_seconds() {
  local began
  if began=$(cat "$1.began" 2>/dev/null) && [ -n "$began" ]; then echo $((EPOCHSECONDS - began)); else echo 0; fi
}

# await [LABEL…]: wait for these tasks, or for every one that was begun. The status is that of the last
# one that failed. Others that end meanwhile are reported too.
task_failures=() task_outcome=0
await() {
  local line i wheel='|/-\' turn=0
  task_outcome=0
  while
    line=
    for i in "${!task_pids[@]}"; do
      if kill -0 "${task_pids[i]}" 2>/dev/null; then
        if [ -e "${task_logs[i]}.began" ]; then
          line+="${line:+, }${task_labels[i]} $(task_seconds "${task_logs[i]}")s $(task_progress "${task_logs[i]}")"
        fi
      else
        end_of_task "$i" "$@"
      fi
    done
    is_under_way "$@"
  do
    if [ -t 1 ]; then printf '\r\033[K  %s %s' "${wheel:turn++%4:1}" "${line:0:${COLUMNS:-100}}"; fi
    sleep 0.3
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
  return $task_outcome
}

# is_under_way [LABEL…]: whether one of these tasks, or any, has not been awaited to its end.
is_under_way() {
  local i label
  if [ $# = 0 ]; then [ ${#task_pids[@]} -gt 0 ]; return; fi
  for i in "${!task_pids[@]}"; do
    for label in "$@"; do
      if [ "$label" = "${task_labels[i]}" ]; then return 0; fi
    done
  done
  return 1
}

# end_of_task INDEX [LABEL…]: reports a task that has ended. Its failure is await's if it waits for it.
# With $stages set, that file gets a line for it: the time it took, the processors' time, its label.
end_of_task() {
  local file=${task_logs[$1]} label=${task_labels[$1]} outcome=0 seconds wanted
  wait "${task_pids[$1]}" || outcome=$?
  seconds=$(task_seconds "$file")
  if [ -t 1 ]; then printf '\r\033[K'; fi
  if [ $outcome -ne 0 ]; then
    if [ $# = 1 ]; then task_outcome=$outcome; fi
    for wanted in "${@:2}"; do
      if [ "$wanted" = "$label" ]; then task_outcome=$outcome; fi
    done
    task_failures+=("$label")
    say "  $label: failed after ${seconds}s; its last output:"
    tail -n 30 "$file" | sed 's/^/    /'
  else
    say "  $label: ${seconds}s"
  fi
  if [ -n "${stages:-}" ]; then
    printf '%s\t%s\t%s\n' "$seconds" "$(task_used "$file")" "$label" >>"$stages"
  fi
  unset "task_pids[$1]" "task_logs[$1]" "task_labels[$1]"
}

# task_failed LABEL: whether that task has failed.
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
# has PROGRAM or has /FILE: whether it is there.
has() {
  case $1 in /*) [ -e "$1" ] ;; *) command -v "$1" >/dev/null ;; esac
}

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

# missing NEED…: those of `program:package` or `/file:package` whose program or file is not there, as packages.
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
  [ ${#packages[@]} -eq 0 ] || say "  continuing without: ${packages[*]} (to install them, as root: apt-get install ${packages[*]})"
  mapfile -t packages < <(missing "${needed[@]}" | sort -u)
  find_jdk || packages+=("$(newest_jdk_package)")
  if [ ${#packages[@]} -gt 0 ]; then
    die "missing: ${packages[*]}" "as root on Debian: apt-get install ${packages[*]}" \
      "elsewhere: the packages with $(IFS=,; echo "${packages[*]}") in your distribution"
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
