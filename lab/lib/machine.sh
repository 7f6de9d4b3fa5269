# SPDX-License-Identifier: Apache-2.0
# One run of the guest. Works on the variables of lab/run, which sources it.

# find_java: settles which JDK is shown, and with it the directories outside that its links lead to,
# as Debian's JDKs have them for configuration and certificates.
find_java() {
  local target
  if [ "$java" = auto ]; then
    java=${JAVA_HOME:-$(command -v java || echo none)}
    [ ! -f "$java" ] || java=$(dirname "$(dirname "$(realpath "$java")")")
  fi
  [ "$java" != none ] || return 0
  java=$(realpath -e -- "$java") || die "no such JDK: $java"
  kept+=("$java")
  while read -r target; do
    [ ! -d "$target" ] || kept+=("$target")
  done < <(find "$java" -type l -lname '/*' -printf '%l\n' | awk -F/ -v java="$java/" '
    index($0, java) == 1 { next }
    $2 == "etc" { print "/" $2 "/" $3; next }
    { sub(/\/[^\/]*$/, ""); print }' | sort -u)
}

# drive FILE on|off: the next of /dev/vda, vdb …; the second word says whether it is read-only.
drive() {
  machine_drives+=(
    -drive "if=none,id=drive$drives,format=raw,cache=unsafe,file.locking=off,read-only=$2,file=${1//,/,,}"
    -device "virtio-blk-pci,drive=drive$drives")
  drives=$((drives + 1))
}

# device: what the guest will call the next drive.
device() {
  local letters=abcdefghijklmnopqrstuvwxyz
  [ "$drives" -lt 26 ] || die "too many directories and disks"
  printf '/dev/vd%s' "${letters:drives:1}"
}

# add_drives: the root image, the shared directories with parents before what is in them, the disks.
add_drives() {
  local path image size n=0
  drives=0 machine_drives=()
  drive "$guest/root.img" on
  for path in "${kept[@]}"; do
    path=$(realpath -e -- "$path") || die "no such directory: $path"
    image=$(shared_image "$path")
    printf '%s\t%s\n' "$path" "$image"
  done > "$work/list"
  for path in "${shares[@]}"; do
    path=$(realpath -e -- "$path") || die "no such directory: $path"
    n=$((n + 1))
    tree_image "$path" "$work/share$n.img" share
    printf '%s\t%s\n' "$path" "$work/share$n.img"
  done >> "$work/list"
  mkdir -p "$work/initrd/job"
  : > "$work/initrd/job/shares"
  while IFS=$'\t' read -r path image; do
    echo "$(device) $drives $path" >> "$work/initrd/job/shares"
    drive "$image" on
  done < <(sort -u -t$'\t' -k1,1 "$work/list")
  n=0
  for size in "${disks[@]}"; do
    n=$((n + 1))
    truncate -s "$size" "$work/disk$n.img"
    variables+=("LAB_DISK$n=$(device)")
    drive "$work/disk$n.img" off
  done
}

# write_job COMMAND...: what the guest's session runs, added to the initial RAM disk.
write_job() {
  local variable word
  {
    echo 'export LAB=1 LAB_OUT=/lab/out'
    [ "$java" = none ] || echo "export JAVA_HOME=$(quoted "$java") PATH=$(quoted "$java/bin"):\$PATH"
    for variable in "${variables[@]}"; do
      echo "export ${variable%%=*}=$(quoted "${variable#*=}")"
    done
    [ -z "$kvm" ] || echo 'modprobe kvm-amd nested=0 || exit 125'
    echo "cd $(quoted "$directory") || exit 125"
    printf 'exec'
    for word in "$@"; do
      printf ' %s' "$(quoted "$word")"
    done
    echo
  } > "$work/initrd/job/job"
  [ -z "$out" ] || : > "$work/initrd/job/wants-out"
  pack "$work/initrd" "$work/job.cpio" "$guest/busybox"
  cat "$guest/initrd.cpio" "$work/job.cpio" > "$work/initrd.cpio"
}

# start_machine: boots, and waits for the end.
start_machine() {
  local ports=(-device virtio-serial-pci,id=serial) name copiers=() processor
  : > "$work/status" > "$work/out.tar" > "$work/console"
  # Through pipes: QEMU would truncate a file and cannot open a socket by name.
  exec 5> >(exec cat >&1)
  copiers+=($!)
  exec 6> >(exec cat >&2)
  copiers+=($!)
  for name in stdout:/dev/fd/5 stderr:/dev/fd/6 out:"$work/out.tar" status:"$work/status"; do
    ports+=(-chardev "file,id=${name%%:*},path=${name#*:}"
      -device "virtserialport,bus=serial.0,chardev=${name%%:*},name=lab.${name%%:*}")
  done
  # The emulator goes through `rep movsb` byte by byte. A CPU that does not claim to be fast at it
  # makes kernel and C library move words: about ten times as fast.
  processor=max,erms=off,fsrm=off,fsrs=off,fzrm=off,fsrc=off
  say "starting"
  # The parent-death signal takes the machine along when this script is killed.
  setpriv --pdeathsig TERM timeout -k 3 "$timeout" \
    "$tools/loader" --library-path "$tools/lib" --argv0 qemu-system-x86_64 "$tools/qemu-system-x86_64" \
    -L "$tools/share" -nodefaults -no-user-config -nographic -no-reboot -monitor none \
    -machine q35,usb=off,vmport=off,smbus=off,sata=off -accel tcg,thread=multi -cpu $processor \
    -smp "$cpus" -m "$memory" -kernel "$guest/kernel" -initrd "$work/initrd.cpio" \
    -append "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr audit=0 apparmor=0 \
random.trust_cpu=on cryptomgr.notests nowatchdog rcupdate.rcu_expedited=1 ${LAB_APPEND:-}" \
    -serial "file:$work/console" "${machine_drives[@]}" "${ports[@]}" \
    < /dev/null 2> "$work/messages" &
  machine=$!
  ended=0
  wait "$machine" || ended=$?
  machine=
  exec 5>&- 6>&-
  wait "${copiers[@]}" 2> /dev/null || true
  say "ended"
}

# report: hands on what the guest left, and ends with its status.
report() {
  local status
  [ -z "$log" ] || cp "$work/console" "$log"
  if [ -n "$out" ] && [ -s "$work/out.tar" ]; then
    mkdir -p "$out"
    tar -x -C "$out" --no-same-owner -f "$work/out.tar"
  fi
  status=$(cat "$work/status")
  if [[ $status =~ ^[0-9]+$ ]]; then
    exit "$status"
  fi
  if [ "$ended" = 124 ] || [ "$ended" = 137 ]; then
    echo "lab: the run did not finish within $timeout seconds" >&2
    status=124
  else
    echo "lab: the guest ended without a result (QEMU ended with status $ended)" >&2
    status=125
  fi
  tail -n 20 "$work/messages" >&2
  tail -n 60 "$work/console" >&2
  exit "$status"
}
