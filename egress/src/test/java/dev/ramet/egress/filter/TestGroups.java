// SPDX-License-Identifier: Apache-2.0
package dev.ramet.egress.filter;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * The control groups that the filters of one test make.
 *
 * @param prefix what their names begin with, which no other test has
 */
record TestGroups(String prefix) {
  TestGroups() {
    this("ramet-test-" + UUID.randomUUID() + "-");
  }

  /** The machines that have one. */
  List<String> names() throws IOException {
    return ControlGroups.find(prefix).map(ControlGroups::list).orElse(List.of());
  }

  /** Has a filter let go of the machine {@code one}, whose process has ended. */
  void release(EgressFilter filter) throws IOException, InterruptedException {
    // A group is removed once its process, which has ended, is gone from it.
    for (int i = 0; i < 1200 && !names().isEmpty(); i++) {
      filter.release("one");
      Thread.sleep(50);
    }
  }
}
