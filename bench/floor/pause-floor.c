/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause-floor SOCKET STATEFILE N: the least a pause can take that saves a machine's devices. N times
 * stop, save, cont; prints the nanoseconds of all three together and of each. The monitor serves one client: nobody else may be
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
		int64_t stopped = now_ns();
		qmp_run(&qmp, save);
		int64_t saved = now_ns();
		qmp_run(&qmp, "{\"execute\":\"cont\"}\n");
		int64_t end = now_ns();
		printf("%lld %lld %lld %lld\n", (long long)(end - start), (long long)(stopped - start),
			(long long)(saved - stopped), (long long)(end - saved));
	}
	unlink(argv[2]);
	return 0;
}
