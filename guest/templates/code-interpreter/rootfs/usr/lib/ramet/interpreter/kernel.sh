# SPDX-License-Identifier: Apache-2.0
# Runs one context's shell commands, as kernel.py does Python: requests on descriptor 3, each the
# code, then the mark, both ended by NUL; events as lines of JSON on descriptor 4.
ramet_count=0
printf '{"type":"ready"}\n' >&4
while IFS= read -r -d '' -u 3 ramet_code && IFS= read -r -d '' -u 3 ramet_mark; do
  ramet_count=$((ramet_count + 1))
  printf '{"type":"number_of_executions","execution_count":%d}\n' "$ramet_count" >&4
  trap : INT
  eval "$ramet_code" 3<&- 4>&-
  ramet_status=$?
  trap '' INT
  if [ "$ramet_status" -ne 0 ]; then
    printf '{"type":"error","name":"ExitStatus","value":"%d","traceback":"the last command ended with status %d"}\n' \
      "$ramet_status" "$ramet_status" >&4
  fi
  printf %s "$ramet_mark"
  printf %s "$ramet_mark" >&2
  printf '{"type":"done"}\n' >&4
done
