/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a storage backend cannot be faster than: the system calls that do the thing, and no others.
 *
 *   storage-floor snapshot|fork SOURCE DIR N durable|relaxed   clone a file N times: ns each
 *   storage-floor threads DIR THREADS N durable|relaxed        the same of DIR/1, DIR/2, ...: ns in all
 *   storage-floor chain DIR PAGES ROUNDS...
 *                                      DIR/0 is cloned, the clone written to in ROUNDS times PAGES places, and so on:
 *                                      ns of each clone, and of writing and fsync
 *   storage-floor tree DIR N           N files like snapshots
 *
 * Copies are removed again, outside of what is timed; those of a chain stay.
 */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define MOST 1000000
#define MOST_THREADS 256

static int durable;

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		die("cannot open %s: %s", path, strerror(errno));
	return fd;
}

static void sync_file(int fd, const char *path)
{
	if (fsync(fd))
		die("cannot sync %s: %s", path, strerror(errno));
}

static void clone_into(const char *from, const char *to)
{
	int source = open_file(from, O_RDONLY);
	int target = open_file(to, O_WRONLY | O_CREAT | O_EXCL);
	if (ioctl(target, FICLONE, source))
		die("cannot clone %s: %s", from, strerror(errno));
	if (durable)
		sync_file(target, to);
	close(target);
	close(source);
}

static void make_directory(const char *path)
{
	if (mkdir(path, 0700))
		die("cannot make %s: %s", path, strerror(errno));
}

static int durability(const char *word)
{
	if (strcmp(word, "durable") && strcmp(word, "relaxed"))
		die("neither durable nor relaxed: %s", word);
	return !strcmp(word, "durable");
}

static void copies(char **argument, int fork)
{
	int n = count_argument(argument[2], "N", MOST);
	char directory[4096], file[4200];
	durable = durability(argument[3]);
	for (int i = 0; i < n; i++) {
		snprintf(directory, sizeof directory, "%s/floor-%d", argument[1], i);
		snprintf(file, sizeof file, fork ? "%s/disk" : "%s", directory);
		int64_t start = now_ns();
		if (fork)
			make_directory(directory);
		clone_into(argument[0], file);
		printf("%lld\n", (long long)(now_ns() - start));
	}
	for (int i = 0; i < n; i++) {
		snprintf(directory, sizeof directory, "%s/floor-%d", argument[1], i);
		snprintf(file, sizeof file, fork ? "%s/disk" : "%s", directory);
		unlink(file);
		if (fork)
			rmdir(directory);
	}
}

static const char *threads_directory;
static int copies_each;
static pthread_barrier_t begin, end;

static void *worker(void *number)
{
	char source[4096], target[4200];
	snprintf(source, sizeof source, "%s/%d", threads_directory, (int)(intptr_t)number);
	pthread_barrier_wait(&begin);
	for (int i = 0; i < copies_each; i++) {
		snprintf(target, sizeof target, "%s-%d", source, i);
		clone_into(source, target);
	}
	pthread_barrier_wait(&end);
	for (int i = 0; i < copies_each; i++) {
		snprintf(target, sizeof target, "%s-%d", source, i);
		unlink(target);
	}
	return NULL;
}

static void threads(char **argument)
{
	pthread_t thread[MOST_THREADS];
	int count = count_argument(argument[1], "THREADS", MOST_THREADS);
	threads_directory = argument[0];
	copies_each = count_argument(argument[2], "N", MOST);
	durable = durability(argument[3]);
	pthread_barrier_init(&begin, NULL, count + 1);
	pthread_barrier_init(&end, NULL, count + 1);
	for (int i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, worker, (void *)(intptr_t)(i + 1)))
			die("cannot make a thread");
	pthread_barrier_wait(&begin);
	int64_t start = now_ns();
	pthread_barrier_wait(&end);
	printf("%lld\n", (long long)(now_ns() - start));
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

static void chain(char **argument)
{
	int pages = count_argument(argument[1], "PAGES", MOST);
	char from[4096], to[4096], page[PAGE];
	struct stat status;
	srandom(1);
	for (int i = 1; argument[i + 1]; i++) {
		int writes = pages * count_argument(argument[i + 1], "ROUNDS", MOST / pages);
		snprintf(from, sizeof from, "%s/%d", argument[0], i - 1);
		snprintf(to, sizeof to, "%s/%d", argument[0], i);
		int64_t start = now_ns();
		clone_into(from, to);
		int64_t cloned = now_ns();
		int fd = open_file(to, O_WRONLY);
		if (fstat(fd, &status))
			die("cannot look at %s: %s", to, strerror(errno));
		memset(page, i, sizeof page);
		for (int j = 0; j < writes; j++)
			if (pwrite(fd, page, PAGE, random() % (status.st_size / PAGE) * PAGE) != PAGE)
				die("cannot write %s: %s", to, strerror(errno));
		sync_file(fd, to);
		close(fd);
		printf("%lld %lld\n", (long long)(cloned - start), (long long)(now_ns() - cloned));
		fflush(stdout);
	}
}

static void tree(char **argument)
{
	int n = count_argument(argument[1], "N", MOST);
	char path[4096];
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/snapshot-%08d", argument[0], i);
		int fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
		if (ftruncate(fd, PAGE) || fchmod(fd, 01600))
			die("cannot make %s: %s", path, strerror(errno));
		close(fd);
	}
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "snapshot"))
		copies(argv + 2, 0);
	else if (argc == 6 && !strcmp(argv[1], "fork"))
		copies(argv + 2, 1);
	else if (argc == 6 && !strcmp(argv[1], "threads"))
		threads(argv + 2);
	else if (argc >= 5 && !strcmp(argv[1], "chain"))
		chain(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "tree"))
		tree(argv + 2);
	else
		die("usage: see the head of storage-floor.c");
	return 0;
}
