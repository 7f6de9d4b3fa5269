/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn-floor PID SAVED DISK WORK COUNT CONCURRENCY: bare restores of a snapshot. Like Ramet's own
 * machine PID (or the one whose command line is in the file of that path), from the device state in SAVED and a clone of DISK, in directories of WORK: clone the
 * disk, start QEMU, wait until it has loaded, let it run, and post to the agent until it answers.
 * Prints the nanoseconds of each and "total" with those of all; then ends what it started.
 */
#define _GNU_SOURCE
#include "common.h"
#include "vm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MOST 100
#define HEADER_BYTES 8
#define LOAD_POLL_NS 100000
#define AGENT_POLL_NS 20000000
#define AGENT_PATIENCE_NS INT64_C(30000000000)

static struct model model;
static const char *source_disk, *work;
static char stream[4096];
static int count;
static atomic_int next_number;
static struct vm vms[MOST];
static int64_t took[MOST];
static pthread_barrier_t all_answered, all_measured;

/* What QEMU loads: RAM blocks, then the device sections without their header. */
static void join_stream(const char *saved)
{
	static const char *const parts[] = {"ram-blocks", "devices"};
	FILE *out = fopen(stream, "wxe");
	if (!out)
		die("cannot make %s: %s", stream, strerror(errno));
	for (int i = 0; i < 2; i++) {
		char path[4200], chunk[65536];
		size_t got;
		snprintf(path, sizeof path, "%s/%s", saved, parts[i]);
		FILE *in = fopen(path, "re");
		if (!in || fseek(in, i ? HEADER_BYTES : 0, SEEK_SET))
			die("cannot read %s: %s", path, strerror(errno));
		while ((got = fread(chunk, 1, sizeof chunk, in)) > 0)
			fwrite(chunk, 1, got, out);
		fclose(in);
	}
	if (fclose(out))
		die("cannot write %s: %s", stream, strerror(errno));
}

/* The request the engine makes: entropy, a generation, and the time. */
static int make_request(char *request, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char raw[64 + 8];
	char entropy[65], body[256];
	struct timespec now;
	struct tm utc;
	if (getrandom(raw, sizeof raw, 0) != sizeof raw)
		die("getrandom: %s", strerror(errno));
	for (int i = 0; i < 64; i++)
		entropy[i] = digits[raw[i] & 63];
	entropy[64] = 0;
	uint64_t generation;
	memcpy(&generation, raw + 64, sizeof generation);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	char when[32];
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
	int length = snprintf(body, sizeof body, "{\"entropy\":\"%s\",\"generation\":\"%llx\",\"timestamp\":\"%s.%09ldZ\"}",
		entropy, (unsigned long long)generation, when, now.tv_nsec);
	return snprintf(request, size,
		"POST /init HTTP/1.1\r\nHost: guest\r\nConnection: close\r\nContent-Type: application/json\r\n"
		"X-Ramet-Host-Secret: " VM_SECRET "\r\n"
		"Content-Length: %d\r\n\r\n%s", length, body);
}

/* One attempt; whether the answer was 2xx. */
static int initialise(const struct vm *vm)
{
	char request[1024], answer[64];
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(model.port)};
	struct timeval patience = {2, 0};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t have = 0;
	inet_pton(AF_INET, vm->address, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (!connect(fd, (struct sockaddr *)&to, sizeof to)) {
		int length = make_request(request, sizeof request);
		if (write(fd, request, length) == length) {
			ssize_t got;
			while (have < 12 && (got = read(fd, answer + have, sizeof answer - have)) > 0)
				have += got;
		}
	}
	close(fd);
	return have >= 12 && !strncmp(answer, "HTTP/1.1 2", 10);
}

static void restore(struct vm *vm, int number)
{
	struct qmp qmp;
	vm_start(vm, &model, work, number, source_disk, stream);
	qmp_open(&qmp, vm->socket, vm->pid);
	while (strstr(qmp_run(&qmp, "{\"execute\":\"query-status\"}\n"), "\"inmigrate\""))
		sleep_ns(LOAD_POLL_NS);
	qmp_run(&qmp, "{\"execute\":\"cont\"}\n");
	int64_t end = now_ns() + AGENT_PATIENCE_NS;
	while (!initialise(vm)) {
		if (now_ns() > end)
			die("the agent at %s did not answer", vm->address);
		sleep_ns(AGENT_POLL_NS);
	}
	qmp_close(&qmp);
}

/* A machine dies with the thread that started it, so threads stay until everything is measured. */
static void *worker(void *unused)
{
	int mine[MOST], started = 0, number;
	(void)unused;
	while ((number = atomic_fetch_add(&next_number, 1)) < count) {
		int64_t start = now_ns();
		restore(&vms[number], number);
		took[number] = now_ns() - start;
		mine[started++] = number;
	}
	pthread_barrier_wait(&all_answered);
	pthread_barrier_wait(&all_measured);
	while (started)
		vm_end(&vms[mine[--started]]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	if (argc != 7)
		die("usage: spawn-floor PID SAVED DISK WORK COUNT CONCURRENCY");
	model_read(&model, argv[1]);
	source_disk = argv[3];
	work = argv[4];
	count = count_argument(argv[5], "COUNT", MOST);
	int concurrency = count_argument(argv[6], "CONCURRENCY", count);
	snprintf(stream, sizeof stream, "%s/stream", work);
	unlink(stream);
	join_stream(argv[2]);
	pthread_barrier_init(&all_answered, NULL, concurrency + 1);
	pthread_barrier_init(&all_measured, NULL, concurrency + 1);

	int64_t start = now_ns();
	for (int i = 0; i < concurrency; i++)
		if (pthread_create(&threads[i], NULL, worker, NULL))
			die("cannot make a thread");
	pthread_barrier_wait(&all_answered);
	int64_t total = now_ns() - start;
	for (int i = 0; i < count; i++)
		printf("%lld\n", (long long)took[i]);
	printf("total %lld\n", (long long)total);
	pthread_barrier_wait(&all_measured);
	for (int i = 0; i < concurrency; i++)
		pthread_join(threads[i], NULL);
	unlink(stream);
	return 0;
}
