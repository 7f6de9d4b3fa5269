/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause-floor SOCKET STATEFILE N: the least a pause can take that saves a machine's devices. N times
 * stop, save, cont; prints the nanoseconds of each. The monitor serves one client: nobody else may be
 * connected.
 */
#include "common.h"

#include <stdio.h>
#include <unistd.h>

#define REST_NS 20000000 /* the machine runs in between, as it does between snapshots */

int main(int argc, char **argv)
{
	static struct qmp qmp;
	char save[4200];
	if (argc != 4)
		die("usage: pause-floor SOCKET STATEFILE N");
	int n = count_argument(argv[3], "N", 100000);
	int length = snprintf(save, sizeof save,
		"{\"execute\":\"xen-save-devices-state\",\"arguments\":{\"filename\":\"%s\",\"live\":false}}\n", argv[2]);
	if (length >= (int)sizeof save)
		die("too long: %s", argv[2]);
	qmp_open(&qmp, argv[1], 0);
	for (int i = 0; i < n; i++) {
		unlink(argv[2]); /* a snapshot's file is a new one too */
		sleep_ns(REST_NS);
		int64_t start = now_ns();
		qmp_run(&qmp, "{\"execute\":\"stop\"}\n");
		qmp_run(&qmp, save);
		qmp_run(&qmp, "{\"execute\":\"cont\"}\n");
		printf("%lld\n", (long long)(now_ns() - start));
	}
	unlink(argv[2]);
	return 0;
}
