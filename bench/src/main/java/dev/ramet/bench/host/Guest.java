// SPDX-License-Identifier: Apache-2.0
package dev.ramet.bench.host;

import dev.ramet.api.sandbox.SandboxInfo;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Runs programs inside one sandbox, which write its memory. Used by one thread. */
public final class Guest {
  private static final int SEED_MB = 8;

  private final Settings settings;
  private final Host host;
  private final Floors floors;
  private final SandboxInfo sandbox;

  public Guest(Settings settings, Host host, Floors floors, SandboxInfo sandbox) {
    this.settings = settings;
    this.host = host;
    this.floors = floors;
    this.sandbox = sandbox;
  }

  /** Fills memory with data that is not zero, which {@link #write} overwrites. */
  public void hold(int megabytes) throws IOException, InterruptedException {
    run(
        "mkdir -p /m && mount -t tmpfs -o size=90% tmpfs /m"
            + " && dd if=/dev/urandom of=/m/seed bs=1M count="
            + SEED_MB
            + " 2>/dev/null && i=0; while [ $i -lt "
            + megabytes / SEED_MB
            + " ]; do cat /m/seed; i=$((i+1)); done > /m/held");
  }

  /** Overwrites this much of the held memory, with different content each time. */
  public void write(int megabytes) throws IOException, InterruptedException {
    // The seed is shifted by some bytes, so that no page keeps its content.
    run(
        "n=$(cat /m/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > /m/n; i=0;"
            + " { head -c $n /m/seed; while [ $i -lt "
            + (megabytes + SEED_MB - 1) / SEED_MB
            + " ]; do cat /m/seed; i=$((i+1)); done; }"
            + " | dd of=/m/held bs=64k iflag=fullblock count="
            + megabytes * 16
            + " conv=notrunc 2>/dev/null");
  }

  /** Starts a program that never ends. */
  public void keepBusy() throws IOException, InterruptedException {
    run("(nice -n 19 sh -c 'while :; do :; done') >/dev/null 2>&1 </dev/null &");
  }

  /** Copies one of our programs into the guest. */
  public void put(String program, String into) throws IOException, InterruptedException {
    floors.time(
        List.of(
            settings.launcher().toString(),
            "sandbox",
            "cp",
            program,
            sandbox.sandboxID() + ":" + into),
        server());
    run("chmod +x " + into);
  }

  private Map<String, String> server() {
    return Map.of("RAMET_SERVER", "http://127.0.0.1:" + host.api().port());
  }

  /** Runs a shell command and returns how long it took, including its start. */
  public double run(String script) throws IOException, InterruptedException {
    return floors.time(
        List.of(
            settings.launcher().toString(),
            "sandbox",
            "exec",
            sandbox.sandboxID(),
            "--",
            "sh",
            "-c",
            script),
        server());
  }
}
