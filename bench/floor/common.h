/* SPDX-License-Identifier: Apache-2.0 */
/* What the floors share. Every failure ends the program with a message: a floor that went wrong is no floor. */
#ifndef RAMET_BENCH_COMMON_H
#define RAMET_BENCH_COMMON_H

#include <stdint.h>
#include <sys/types.h>

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* CLOCK_MONOTONIC, nanoseconds. */
int64_t now_ns(void);
void sleep_ns(int64_t ns);

/* A number from the command line, from 1 to `most`. */
int count_argument(const char *text, const char *name, int most);

/* One connection to QEMU's monitor, see docs/interop/qmp-spec.txt. */
struct qmp {
	int fd;
	size_t have;
	char buffer[16384];
};

/* Connects and leaves negotiation mode; waits for the socket as long as `pid` lives (0: do not wait). */
void qmp_open(struct qmp *qmp, const char *socket, pid_t pid);
/* Runs a command; the answer stays valid until the next. */
const char *qmp_run(struct qmp *qmp, const char *command);
/* Waits for the answer to a command that was sent. */
const char *qmp_answer(struct qmp *qmp, const char *command);
void qmp_close(struct qmp *qmp);

#endif
