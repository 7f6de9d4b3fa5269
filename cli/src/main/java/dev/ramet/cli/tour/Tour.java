// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli.tour;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ramet.api.sandbox.CloneRequestBody;
import dev.ramet.api.sandbox.CloneResult;
import dev.ramet.api.sandbox.CreateSandbox;
import dev.ramet.api.sandbox.RollbackRequest;
import dev.ramet.api.sandbox.RollbackResult;
import dev.ramet.api.sandbox.SandboxInfo;
import dev.ramet.api.snapshot.CaptureInfo;
import dev.ramet.api.snapshot.CreateSnapshot;
import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.cli.http.Client;
import dev.ramet.cli.http.Json;
import dev.ramet.cli.term.HumanFormat;
import dev.ramet.errors.ErrorCode;
import dev.ramet.errors.RametException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tour, Ramet's main features from beginning to end, over the HTTP API only. Used by one
 * thread.
 */
final class Tour {
  private static final int SECONDS_TO_LIVE = 3600;

  private final Client client;
  private final TourResources traces;
  private final TourReport report;
  private final TourView view;
  private final String template;
  private final String run;
  private volatile boolean stopped;

  Tour(
      Client client,
      TourResources traces,
      TourReport report,
      TourView view,
      String template,
      String run) {
    this.client = client;
    this.traces = traces;
    this.report = report;
    this.view = view;
    this.template = template;
    this.run = run;
  }

  /** Makes the tour end before its next step. Any thread may call it. */
  void stop() {
    stopped = true;
  }

  void run(int clones, int concurrency) {
    JsonNode doctor = Json.tree(client.get("/doctor").body());
    report.host(doctor);
    view.host(doctor);
    Long before = traces.diskUse();

    SandboxInfo created = create();
    String id = created.sandboxID();
    GuestState scene = new GuestState(client, id);
    GuestValues planted = GuestValues.unique("source");
    long pid =
        step(
            "plant",
            "Write a file to its disk, one to its tmpfs, a variable",
            () -> scene.plant(planted),
            p -> planted.disk() + ", " + planted.tmpfs() + ", and a variable of process " + p);
    String snapshot = snapshot(id);
    step(
        "destroy",
        "Delete both files and kill the process",
        () -> checkDestruction(scene, pid),
        v -> "");
    check("both files and the process are gone", GuestValues.NONE.equals(scene.read(pid)));
    rollback(id, snapshot);
    GuestValues restored =
        step("look", "Look for all three", () -> scene.read(pid), Tour::describe);
    check("the file on the disk is back", restored.disk().equals(planted.disk()));
    check("the file in the tmpfs is back", restored.tmpfs().equals(planted.tmpfs()));
    check(
        "the variable of the running process is back",
        restored.variable().equals(planted.variable()));

    Long hypervisor = info(id).hypervisorPid();
    Long unclonedDisk = traces.diskUse();
    List<SandboxInfo> made = cloneSandbox(id, clones, concurrency, unclonedDisk);
    Long during = traces.diskUse();
    checkIndependence(made, pid, planted);
    GuestValues after =
        step("source", "Look at the source again", () -> scene.read(pid), Tour::describe);
    check("the source kept all three of its own values", after.equals(planted));
    check("the source's program is the same process", !after.variable().isEmpty());
    if (hypervisor != null) {
      check(
          "the source kept running in the same hypervisor process",
          hypervisor.equals(info(id).hypervisorPid()));
    }
    boolean clean = step("delete", "Delete everything", traces::delete, done -> "");
    check("nothing is left", clean);
    view.disk(before, during, traces.diskUse());
  }

  private SandboxInfo create() {
    CreateSandbox request =
        CreateSandbox.builder()
            .templateID(template)
            .timeout(SECONDS_TO_LIVE)
            .metadata(Map.of(TourResources.MARK, run))
            .build();
    return step(
        "create",
        "Start a sandbox from the template " + template,
        () -> {
          SandboxInfo made = client.post("/sandboxes", request).parse(SandboxInfo.class);
          traces.source(made.sandboxID());
          return made;
        },
        s ->
            "sandbox %s, %d CPU, %s of memory"
                .formatted(s.sandboxID(), s.cpuCount(), HumanFormat.mebibytes(s.memoryMB())));
  }

  private String snapshot(String id) {
    SnapshotInfo made =
        step(
            "snapshot",
            "Take a snapshot while it runs",
            () ->
                client
                    .post("/sandboxes/" + id + "/snapshots", new CreateSnapshot(null, "tour"))
                    .parse(SnapshotInfo.class),
            s -> s.capture() == null ? "" : describe(s.capture()));
    if (made.capture() != null) {
      report.snapshot(made.capture());
    }
    return made.snapshotID();
  }

  private void rollback(String id, String snapshot) {
    double[] ms = new double[1];
    RollbackResult result =
        step(
            "rollback",
            "Roll the sandbox back to the snapshot",
            () -> {
              long start = System.nanoTime();
              RollbackResult r =
                  client
                      .post("/sandboxes/" + id + "/rollback", new RollbackRequest(snapshot))
                      .parse(RollbackResult.class);
              ms[0] = (System.nanoTime() - start) / 1e6;
              return r;
            },
            r -> "sandbox " + r.sandboxID() + " is at " + r.snapshotID());
    report.rollback(ms[0]);
    check("the sandbox has the same id", result.sandboxID().equals(id));
  }

  private List<SandboxInfo> cloneSandbox(String id, int n, int concurrency, @Nullable Long before) {
    long[] nanos = new long[1];
    CloneResult result =
        step(
            "clone",
            "Clone it %d times, %d at a time".formatted(n, concurrency),
            () -> {
              long start = System.nanoTime();
              CloneResult r =
                  client
                      .post(
                          "/sandboxes/" + id + "/clone",
                          new CloneRequestBody(n, concurrency, SECONDS_TO_LIVE))
                      .parse(CloneResult.class);
              nanos[0] = System.nanoTime() - start;
              return r;
            },
            r -> {
              CaptureInfo capture = r.capture();
              String each = HumanFormat.millis(nanos[0] / 1e6 / n) + " each";
              return capture == null
                  ? each
                  : each + "; the source was paused for " + HumanFormat.millis(capture.pauseMs());
            });
    Long after = traces.diskUse();
    Long disk = before == null || after == null ? null : after - before;
    Long anonymous = anonymousBytes(result.sandboxes());
    report.clone(n, concurrency, nanos[0] / 1e6, disk, anonymous);
    if (disk != null) {
      view.note(HumanFormat.size(disk) + " of disk for all of them");
    }
    if (anonymous != null) {
      view.note(HumanFormat.size(anonymous) + " of memory of its own for each");
    }
    check("all clones started", result.sandboxes().size() == n);
    return result.sandboxes();
  }

  private static @Nullable Long anonymousBytes(List<SandboxInfo> clones) {
    long sum = 0;
    for (SandboxInfo clone : clones) {
      Long bytes = TourResources.anonymousBytes(clone.hypervisorPid());
      if (bytes == null) {
        return null;
      }
      sum += bytes;
    }
    return clones.isEmpty() ? null : sum / clones.size();
  }

  /** Changes the state of every clone, and checks that no other clone is affected. */
  private void checkIndependence(List<SandboxInfo> clones, long pid, GuestValues planted) {
    List<GuestState> scenes = new ArrayList<>();
    List<GuestValues> own = new ArrayList<>();
    for (int i = 0; i < clones.size(); i++) {
      scenes.add(new GuestState(client, clones.get(i).sandboxID()));
      own.add(GuestValues.unique("clone" + (i + 1)));
    }
    boolean inherited =
        step(
            "inherited",
            "Look for all three in every clone",
            () -> scenes.stream().allMatch(s -> s.read(pid).equals(planted)),
            ok -> "");
    check("every clone has both files and the variable, in the same process", inherited);
    boolean separate =
        step(
            "separate",
            "Change all three in every clone, then look again",
            () -> {
              for (int i = 0; i < scenes.size(); i++) {
                scenes.get(i).change(pid, own.get(i));
              }
              boolean same = true;
              for (int i = 0; i < scenes.size(); i++) {
                same &= scenes.get(i).read(pid).equals(own.get(i));
              }
              return same;
            },
            ok -> "");
    check("every clone sees only its own changes", separate);
  }

  private static GuestValues checkDestruction(GuestState scene, long pid) {
    scene.destroy(pid);
    return GuestValues.NONE;
  }

  private SandboxInfo info(String id) {
    return client.get("/sandboxes/" + id).parse(SandboxInfo.class);
  }

  private <T> T step(String name, String title, Supplier<T> work, Function<T, String> detail) {
    if (stopped) {
      throw new RametException(ErrorCode.CANCELLED, "the tour was interrupted");
    }
    long start = System.nanoTime();
    T result = view.during(title, work);
    double ms = (System.nanoTime() - start) / 1e6;
    String text = detail.apply(result);
    report.step(name, ms, text);
    view.step(title, ms, text);
    return result;
  }

  private void check(String name, boolean ok) {
    report.check(name, ok);
    view.check(name, ok);
  }

  private static String describe(GuestValues v) {
    return v.disk() + ", " + v.tmpfs() + ", " + v.variable();
  }

  private static String describe(CaptureInfo c) {
    return "paused for %s, wrote %s of %s of memory (%s)"
        .formatted(
            HumanFormat.millis(c.pauseMs()),
            HumanFormat.size(c.memoryBytesWritten()),
            HumanFormat.size(c.memoryBytesTotal()),
            c.mode());
  }
}
