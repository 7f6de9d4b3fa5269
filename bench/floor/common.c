/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_POLL_NS 200000 /* the driver's own */

void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void sleep_ns(int64_t ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

int count_argument(const char *text, const char *name, int most)
{
	char *end;
	long value = strtol(text, &end, 10);
	if (end == text || *end || value < 1 || value > most)
		die("%s must be 1 to %d: %s", name, most, text);
	return (int)value;
}

/* The next line, without its end; valid until the next call. */
static char *read_line(struct qmp *qmp)
{
	static __thread char line[sizeof qmp->buffer];
	for (;;) {
		char *end = memchr(qmp->buffer, '\n', qmp->have);
		if (end) {
			size_t length = end - qmp->buffer;
			memcpy(line, qmp->buffer, length);
			line[length] = 0;
			qmp->have -= length + 1;
			memmove(qmp->buffer, end + 1, qmp->have);
			return line;
		}
		if (qmp->have == sizeof qmp->buffer)
			die("a monitor line of more than %zu bytes", sizeof qmp->buffer);
		ssize_t got = read(qmp->fd, qmp->buffer + qmp->have, sizeof qmp->buffer - qmp->have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			die("the monitor's connection ended%s%s", got ? ": " : "", got ? strerror(errno) : "");
		qmp->have += got;
	}
}

const char *qmp_run(struct qmp *qmp, const char *command)
{
	size_t length = strlen(command);
	if (write(qmp->fd, command, length) != (ssize_t)length)
		die("cannot write to the monitor: %s", strerror(errno));
	return qmp_answer(qmp, command);
}

const char *qmp_answer(struct qmp *qmp, const char *command)
{
	for (;;) {
		char *line = read_line(qmp);
		if (!strncmp(line, "{\"return\"", 9))
			return line;
		if (!strncmp(line, "{\"error\"", 8))
			die("%s: %s", command, line);
	}
}

void qmp_open(struct qmp *qmp, const char *socket_path, pid_t pid)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(socket_path) >= sizeof address.sun_path)
		die("a socket's path has at most %zu bytes: %s", sizeof address.sun_path - 1, socket_path);
	strcpy(address.sun_path, socket_path);
	memset(qmp, 0, sizeof *qmp);
	for (;;) {
		qmp->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (qmp->fd < 0)
			die("socket: %s", strerror(errno));
		if (!connect(qmp->fd, (struct sockaddr *)&address, sizeof address))
			break;
		close(qmp->fd);
		if (!pid)
			die("cannot connect to %s: %s", socket_path, strerror(errno));
		if (waitpid(pid, NULL, WNOHANG))
			die("QEMU ended before its monitor answered; see vmm.log beside %s", socket_path);
		sleep_ns(CONNECT_POLL_NS);
	}
	read_line(qmp); /* the greeting */
	qmp_run(qmp, "{\"execute\":\"qmp_capabilities\"}\n");
}

void qmp_close(struct qmp *qmp)
{
	close(qmp->fd);
}
