/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long QEMU's own ways of saving a machine keep it standing still.
 *
 *   save-floor migrate SOCKET FILE N           stop, migrate to FILE, cont
 *   save-floor savevm PID STREAM DISK WORK N
 *                                              a machine like that of PID, restored from STREAM, on a copy of the qcow2
 *                                              file DISK: savevm, which stops it by itself
 *
 * Prints N lines of nanoseconds. The monitor serves one client: nobody else may be connected.
 */
#define _GNU_SOURCE
#include "common.h"
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define POLL_NS 1000000
#define REST_NS 200000000

static void wait_migrated(struct qmp *qmp)
{
	for (;;) {
		const char *answer = qmp_run(qmp, "{\"execute\":\"query-migrate\"}\n");
		if (strstr(answer, "\"status\": \"completed\""))
			return;
		if (strstr(answer, "\"status\": \"failed\""))
			die("migration failed: %s", answer);
		sleep_ns(POLL_NS);
	}
}

/* Hands an open file to QEMU, which may start no program and so cannot write through one. */
static void give_file(struct qmp *qmp, const char *file)
{
	static char command[] = "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"out\"}}\n";
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = {.bytes = {0}};
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		die("cannot make %s: %s", file, strerror(errno));
	struct iovec text = {command, strlen(command)};
	struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
	if (sendmsg(qmp->fd, &message, 0) != (ssize_t)strlen(command))
		die("cannot pass a file: %s", strerror(errno));
	qmp_answer(qmp, command);
	close(fd);
}

static void migrate(const char *socket, const char *file, int n)
{
	static struct qmp qmp;
	qmp_open(&qmp, socket, 0);
	qmp_run(&qmp, "{\"execute\":\"migrate-set-parameters\",\"arguments\":{\"max-bandwidth\":1099511627776}}\n");
	while (n--) {
		give_file(&qmp, file);
		int64_t start = now_ns();
		qmp_run(&qmp, "{\"execute\":\"stop\"}\n");
		qmp_run(&qmp, "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"fd:out\"}}\n");
		wait_migrated(&qmp);
		qmp_run(&qmp, "{\"execute\":\"cont\"}\n");
		printf("%lld\n", (long long)(now_ns() - start));
		unlink(file);
		sleep_ns(REST_NS);
	}
	qmp_close(&qmp);
}

/* The disk is given as raw; a qcow2 file stands in its place here. */
static void use_qcow2(struct model *model)
{
	static const char raw[] = "\"driver\":\"raw\"", qcow2[] = "\"driver\":\"qcow2\"";
	for (char **argument = model->arguments; *argument; argument++) {
		char *at = strstr(*argument, raw);
		if (!at)
			continue;
		char *changed;
		if (asprintf(&changed, "%.*s%s%s", (int)(at - *argument), *argument, qcow2, at + sizeof raw - 1) < 0)
			die("out of memory");
		*argument = changed;
	}
}

static void savevm(char **arguments, int n)
{
	static struct model model;
	static struct qmp qmp;
	struct vm vm;
	model_read(&model, arguments[0]);
	use_qcow2(&model);
	vm_start(&vm, &model, arguments[3], 0, arguments[2], arguments[1]);
	qmp_open(&qmp, vm.socket, vm.pid);
	while (strstr(qmp_run(&qmp, "{\"execute\":\"query-status\"}\n"), "\"inmigrate\""))
		sleep_ns(POLL_NS);
	qmp_run(&qmp, "{\"execute\":\"cont\"}\n");
	sleep_ns(REST_NS);
	while (n--) {
		int64_t start = now_ns();
		const char *answer = qmp_run(&qmp,
			"{\"execute\":\"human-monitor-command\",\"arguments\":{\"command-line\":\"savevm bench\"}}\n");
		if (!strstr(answer, "{\"return\": \"\"}"))
			die("savevm: %s", answer);
		printf("%lld\n", (long long)(now_ns() - start));
		qmp_run(&qmp, "{\"execute\":\"human-monitor-command\",\"arguments\":{\"command-line\":\"delvm bench\"}}\n");
		sleep_ns(REST_NS);
	}
	qmp_close(&qmp);
	vm_end(&vm);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "migrate"))
		migrate(argv[2], argv[3], count_argument(argv[4], "N", 100));
	else if (argc == 7 && !strcmp(argv[1], "savevm"))
		savevm(argv + 2, count_argument(argv[6], "N", 100));
	else
		die("usage: see its source");
	return 0;
}
