// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import dev.ramet.agent.Command;
import dev.ramet.agent.Guest;
import dev.ramet.agent.GuestProcess;
import dev.ramet.agent.Result;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.HostedGuest;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;

/**
 * The tour's state inside a sandbox: a file on its disk, a file in its tmpfs, and a program with a
 * variable, which it reports through a fifo. Its scripts run in any POSIX shell.
 */
final class GuestState {
  private static final String SHARED =
      """
      disk=/root/ramet-tour.txt
      folder=/tmp/ramet-tour
      alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$1/status"; }
      ask() { echo "$*" >$folder/ask; read -r answer <$folder/answer; echo "$answer"; }
      write() {
        printf '%s\\n' "$1" | dd of=$disk conv=fsync 2>/dev/null
        printf '%s\\n' "$2" >$folder/note
        [ "$(ask set "$3")" = "$3" ]
      }
      """;

  /** Arguments: the three values. Prints the program's process id. */
  private static final String PLANT =
      SHARED
          + """
          set -e
          mkdir -p $folder
          mkfifo $folder/ask $folder/answer
          sh -c 'value=
            while read -r verb rest <$0/ask; do
              if [ "$verb" = set ]; then value=$rest; fi
              echo "$value" >$0/answer
            done' $folder </dev/null >/dev/null 2>&1 &
          pid=$!
          write "$1" "$2" "$3"
          echo $pid
          """;

  /**
   * Argument: the program's process id. Drops Linux's page cache first, because data from the cache
   * would prove nothing about the disk.
   */
  private static final String READ =
      SHARED
          + """
          sync
          echo 1 >/proc/sys/vm/drop_caches 2>/dev/null
          echo "$(cat $disk 2>/dev/null)"
          echo "$(cat $folder/note 2>/dev/null)"
          if alive "$1"; then ask get; else echo; fi
          """;

  /** Arguments: the process id and three values. */
  private static final String CHANGE =
      SHARED + "set -e\nalive \"$1\"\nwrite \"$2\" \"$3\" \"$4\"\n";

  /** Argument: the process id. */
  private static final String DESTROY =
      SHARED
          + """
          rm $disk $folder/note && sync || exit
          kill -9 "$1"
          tries=0
          while alive "$1" && [ $tries -lt 10 ]; do sleep 1; tries=$((tries + 1)); done
          """;

  private final String sandbox;
  private final Guest guest;

  GuestState(Client client, String sandbox) {
    this.sandbox = sandbox;
    this.guest = HostedGuest.of(client, sandbox, "root");
  }

  /**
   * Stores values in all three places.
   *
   * @return the process id of the program, inside the sandbox
   */
  long plant(GuestValues values) {
    String answer = run(PLANT, values.disk(), values.tmpfs(), values.variable()).strip();
    try {
      return Long.parseLong(answer);
    } catch (NumberFormatException e) {
      throw new RametException(ErrorCode.INTERNAL, "the sandbox answered: " + answer, e);
    }
  }

  /** Returns the current values in the three places. */
  GuestValues read(long pid) {
    String[] lines = run(READ, "" + pid).split("\n", -1);
    if (lines.length < 3) {
      throw new RametException(
          ErrorCode.INTERNAL, "the sandbox answered: " + String.join(" ", lines));
    }
    return new GuestValues(lines[0], lines[1], lines[2]);
  }

  /** Replaces the values. */
  void change(long pid, GuestValues values) {
    run(CHANGE, "" + pid, values.disk(), values.tmpfs(), values.variable());
  }

  /** Deletes both files and kills the program. */
  void destroy(long pid) {
    run(DESTROY, "" + pid);
  }

  private String run(String script, String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "-c";
    all[1] = script;
    all[2] = "tour";
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    try (GuestProcess process = guest.start(Command.of("sh", all))) {
      Result result = process.result();
      if (!result.ok()) {
        throw new RametException(
            ErrorCode.INTERNAL,
            "sh in sandbox %s ended with status %d: %s"
                .formatted(sandbox, result.status(), result.err().strip()));
      }
      return result.out();
    }
  }
}
