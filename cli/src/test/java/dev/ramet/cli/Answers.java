// SPDX-License-Identifier: Apache-2.0
package dev.ramet.cli;

/** Prepared responses of hosts. */
final class Answers {
  private Answers() {}

  static String sandbox(String id, String more) {
    return """
        {"sandboxID":"%s","templateID":"t1","alias":"micro","clientID":"host","envdVersion":"0.6.13",\
        "startedAt":"2020-01-01T00:00:00Z","state":"running","cpuCount":1,"memoryMB":256,\
        "diskSizeMB":1024,"metadata":{}%s}\
        """
        .formatted(id, more);
  }

  static final String CAPTURE =
      """
      {"mode":"soft-dirty","modeReason":"every write is seen","memoryBytesTotal":268435456,\
      "memoryBytesSelected":1048576,"memoryBytesWritten":1048576,"memoryBytesHoles":0,\
      "pauseMs":4.5,"totalMs":20.25,"phasesMs":{"disk":1.5,"write":9},\
      "pausePhasesMs":{"disk":1.5},"precopyRounds":2,"precopyBytes":4194304,\
      "replaced":{"snapshotID":"s0","memoryVolume":"in-place","reason":"nobody reads it"}}\
      """;

  static String snapshot(String id, String origin) {
    return """
        {"snapshotID":"%s","names":["before"],"description":"all pass","status":"READY","originSandboxID":"%s",\
        "createdAt":"2020-01-01T00:00:00Z","updatedAt":"2020-01-01T00:00:00Z","cpuCount":1,\
        "memoryMB":256,"diskSizeMB":1024,"exclusiveBytes":1572864,"usedBy":[],\
        "workingSet":{"recordedOf":"%s","pages":3072,"bytes":12582912,"whole":true},"capture":%s}\
        """
        .formatted(id, origin, id, CAPTURE);
  }

  static final String DIFF =
      """
      {"a":"s1","b":"s2","totalMs":1.5,"memory":{"sizeBytes":1048576,"differingBytes":8192,\
      "differingPages":2,"rangeCount":1,"ranges":[{"offset":4096,"length":8192}],\
      "sharedBytes":0,"comparedBytes":8192},"disk":{"sizeBytes":1048576,"differingBytes":0,\
      "differingPages":0,"rangeCount":0,"ranges":[],"sharedBytes":1048576,"comparedBytes":0}}\
      """;

  static final String TEMPLATE =
      """
      {"templateID":"t1","aliases":["micro"],"names":["micro"],"status":"READY","warm":true,\
      "cpuCount":1,"memoryMB":256,"diskSizeMB":1024,"exclusiveBytes":0,\
      "createdAt":"2020-01-01T00:00:00Z","buildMs":1234.0}\
      """;

  static String doctor(String verdict, long used) {
    return """
        {"verdict":"%s","host":{"storage.usedBytes":"%d","kernel":"6.1"},\
        "plugins":[{"role":"storage","id":"byte-copy","plugin":"built-in","jar":"m.jar","module":"m",\
        "version":"1","nativeAccess":"the host's","outcome":"usable",\
        "reason":"","detail":"","capabilities":["files"],"evidence":{},"probeMillis":1},\
        {"role":"hypervisor","id":"qemu","plugin":"built-in","jar":"m.jar","module":"m","version":"1",\
        "nativeAccess":"the host's","outcome":"unusable",\
        "reason":"no qemu","detail":"","remedy":"apt-get install qemu-system-x86",\
        "capabilities":[],"evidence":{},"probeMillis":1},\
        {"role":"","id":"acme","plugin":"acme","jar":"acme.jar","module":"com.acme","version":"",\
        "nativeAccess":"","outcome":"refused","reason":"it is not a module",\
        "detail":"plugin acme is refused","remedy":"make it one","capabilities":[],"evidence":{},\
        "probeMillis":0}],\
        "selections":[{"role":"storage","where":"/data","chosen":"byte-copy","reason":"only one"}],\
        "advice":["use XFS"]}\
        """
        .formatted(verdict, used);
  }

  static String error(int status, String code, String message, String remedy) {
    return """
        {"code":%d,"message":"%s","error":"%s","remedy":"%s"}\
        """
        .formatted(status, message, code, remedy);
  }
}
