/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What finding, reading, comparing and writing memory costs at least.
 *
 *   memory-floor table PID IMAGE         reads the page table of every mapping of IMAGE and finds the private pages:
 *                                        nanoseconds
 *   memory-floor written PID IMAGE       asks PAGEMAP_SCAN for those that were written: nanoseconds, or -1 where that
 *                                        does not work
 *   memory-floor delta PID IMAGE OLD NEW N
 *                                        which pages of NEW differ from OLD: one line with their number, how many of
 *                                        them are zero, and in how many runs they lie; then N lines: nanoseconds of
 *                                        reading these pages from the process with process_vm_readv
 *   memory-floor write DIRECTORY FILES BYTES
 *                                        FILES threads write BYTES each to a new file and sync it: nanoseconds in all;
 *                                        the files stay
 *   memory-floor overlay DIRECTORY OLD NEW [OLD NEW]...
 *                                        a thread for each pair clones OLD, writes the pages of NEW that differ to
 *                                        the clone, run by run, and syncs it: nanoseconds in all; the clones stay
 */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096L
#define MOST_MAPPINGS 64
#define MOST_THREADS 100
#define ENTRIES 16384
#define IOVECS 1024
#define PIECE (8L << 20)
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)
#define FILE_OR_SHARED (1ULL << 61)

struct mapping {
	long start, end, offset;
};

static struct mapping mappings[MOST_MAPPINGS];
static int mapping_count;

static void find_mappings(const char *pid, const char *image)
{
	char path[64], line[PATH_MAX + 128], file[PATH_MAX + 1];
	snprintf(path, sizeof path, "/proc/%s/maps", pid);
	FILE *maps = fopen(path, "re");
	if (!maps)
		die("cannot open %s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, maps)) {
		struct mapping m;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4096s", &m.start, &m.end, &m.offset, file) == 4 &&
			!strcmp(file, image) && mapping_count < MOST_MAPPINGS)
			mappings[mapping_count++] = m;
	}
	fclose(maps);
	if (!mapping_count)
		die("process %s does not map %s", pid, image);
}

static int open_pagemap(const char *pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%s/pagemap", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* What is found is kept as a selection would be: where each run starts and how long it is. */
static struct run {
	long at, length;
} *runs;
static long run_count, run_room;

static void add(long at, long length)
{
	if (run_count && runs[run_count - 1].at + runs[run_count - 1].length == at) {
		runs[run_count - 1].length += length;
		return;
	}
	if (run_count == run_room) {
		run_room = run_room ? 2 * run_room : 4096;
		runs = realloc(runs, run_room * sizeof *runs);
		if (!runs)
			die("out of memory");
	}
	runs[run_count++] = (struct run){at, length};
}

static int64_t read_page_table(int fd)
{
	static uint64_t entries[ENTRIES];
	memset(entries, 1, sizeof entries); /* its pages are there before */
	int64_t start = now_ns();
	run_count = 0;
	for (int i = 0; i < mapping_count; i++) {
		for (long at = mappings[i].start; at < mappings[i].end;) {
			long left = (mappings[i].end - at) / PAGE;
			long count = left < ENTRIES ? left : ENTRIES;
			if (pread(fd, entries, count * 8, at / PAGE * 8) != count * 8)
				die("cannot read the page table: %s", strerror(errno));
			for (long p = 0; p < count; p++) {
				uint64_t e = entries[p];
				if ((e & SWAPPED) || (e & (PRESENT | FILE_OR_SHARED)) == PRESENT)
					add(at + p * PAGE, PAGE);
			}
			at += count * PAGE;
		}
	}
	return now_ns() - start;
}

/* struct pm_scan_arg and struct page_region of linux/fs.h, for systems whose headers lack them. */
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask, anyof, return_mask;
};
struct region {
	uint64_t start, end, categories;
};

#define SCAN _IOWR('f', 16, struct scan)
#define CHECK_WPASYNC 2
#define WRITTEN 2

static int64_t scan_written(int fd)
{
	static struct region found[8192];
	memset(found, 1, sizeof found);
	int64_t start = now_ns();
	run_count = 0;
	for (int i = 0; i < mapping_count; i++) {
		uint64_t at = mappings[i].start;
		while (at < (uint64_t)mappings[i].end) {
			struct scan scan = {.size = sizeof scan, .flags = CHECK_WPASYNC, .start = at, .end = mappings[i].end,
				.vec = (uintptr_t)found, .vec_len = 8192, .mask = WRITTEN, .return_mask = WRITTEN};
			int n = ioctl(fd, SCAN, &scan);
			if (n < 0)
				return -1;
			for (int k = 0; k < n; k++)
				add(found[k].start, found[k].end - found[k].start);
			at = n < 8192 ? (uint64_t)mappings[i].end : found[n - 1].end;
		}
	}
	return now_ns() - start;
}

static const char *map_file(const char *path, long *size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		die("cannot open %s: %s", path, strerror(errno));
	*size = status.st_size;
	char *at = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		die("cannot map %s: %s", path, strerror(errno));
	close(fd);
	return at;
}

static const char *map_pair(const char *old_path, const char *new_path, const char **old, long *size)
{
	long old_size;
	*old = map_file(old_path, &old_size);
	const char *new = map_file(new_path, size);
	if (*size != old_size)
		die("images of %ld and %ld bytes", old_size, *size);
	return new;
}

static void delta(const char *old_path, const char *new_path)
{
	static const char zeros[PAGE];
	long size, changed = 0, zero = 0;
	const char *old, *new = map_pair(old_path, new_path, &old, &size);
	for (long at = 0; at < size; at += PAGE) {
		if (memcmp(old + at, new + at, PAGE)) {
			changed++;
			zero += !memcmp(new + at, zeros, PAGE);
			add(at, PAGE);
		}
	}
	printf("%ld %ld %ld\n", changed, zero, run_count);
}

static long address_of(long offset)
{
	for (int i = 0; i < mapping_count; i++)
		if (offset >= mappings[i].offset && offset < mappings[i].offset + mappings[i].end - mappings[i].start)
			return mappings[i].start + offset - mappings[i].offset;
	die("offset %ld is not mapped", offset);
}

static int64_t read_pages(pid_t pid, char *into)
{
	static struct iovec remote[IOVECS];
	int64_t start = now_ns();
	long queued = 0, bytes = 0;
	for (long i = 0; i <= run_count; i++) {
		if (queued == IOVECS || (i == run_count && queued)) {
			struct iovec local = {into, bytes};
			if (process_vm_readv(pid, &local, 1, remote, queued, 0) != bytes)
				die("process_vm_readv: %s", strerror(errno));
			into += bytes;
			queued = bytes = 0;
		}
		if (i < run_count) {
			remote[queued++] = (struct iovec){(void *)address_of(runs[i].at), runs[i].length};
			bytes += runs[i].length;
		}
	}
	return now_ns() - start;
}

static const char *directory;
static long bytes_each;

static void *write_one(void *number)
{
	char path[PATH_MAX];
	static __thread char *piece;
	piece = malloc(PIECE);
	memset(piece, 0x5a, PIECE);
	snprintf(path, sizeof path, "%s/floor-%ld", directory, (long)number);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		die("cannot make %s: %s", path, strerror(errno));
	for (long done = 0; done < bytes_each;) {
		long n = bytes_each - done < PIECE ? bytes_each - done : PIECE;
		if (pwrite(fd, piece, n, done) != n)
			die("cannot write %s: %s", path, strerror(errno));
		done += n;
	}
	if (fsync(fd))
		die("fsync: %s", strerror(errno));
	close(fd);
	free(piece);
	return NULL;
}

static void together(void *(*work)(void *), int count)
{
	pthread_t threads[MOST_THREADS];
	int64_t start = now_ns();
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			die("cannot make a thread");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%lld\n", (long long)(now_ns() - start));
}

/* What one thread writes over a clone: pages that lie one behind the other in `bytes`. */
static struct overlay {
	int old;
	struct run *runs;
	long run_count;
	char *bytes;
} overlays[MOST_THREADS];

static void prepare_overlay(struct overlay *overlay, const char *old_path, const char *new_path)
{
	long size, bytes = 0, used = 0;
	const char *old, *new = map_pair(old_path, new_path, &old, &size);
	runs = NULL;
	run_count = run_room = 0;
	for (long at = 0; at < size; at += PAGE) {
		if (memcmp(old + at, new + at, PAGE)) {
			add(at, PAGE);
			bytes += PAGE;
		}
	}
	char *copy = malloc(bytes + 1);
	if (!copy)
		die("out of memory");
	for (long i = 0; i < run_count; used += runs[i++].length)
		memcpy(copy + used, new + runs[i].at, runs[i].length);
	munmap((void *)old, size);
	munmap((void *)new, size);
	*overlay = (struct overlay){open(old_path, O_RDONLY | O_CLOEXEC), runs, run_count, copy};
	if (overlay->old < 0)
		die("cannot open %s: %s", old_path, strerror(errno));
}

static void *write_overlay(void *number)
{
	const struct overlay *overlay = &overlays[(long)number];
	const char *bytes = overlay->bytes;
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/overlay-%ld", directory, (long)number);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ioctl(fd, FICLONE, overlay->old))
		die("cannot clone to %s: %s", path, strerror(errno));
	/* As captures do: no room is reserved around a page. Not every file system knows that. */
	struct fsxattr attributes;
	if (!ioctl(fd, FS_IOC_FSGETXATTR, &attributes)) {
		attributes.fsx_xflags |= FS_XFLAG_COWEXTSIZE;
		attributes.fsx_cowextsize = PAGE;
		ioctl(fd, FS_IOC_FSSETXATTR, &attributes);
	}
	for (long i = 0; i < overlay->run_count; i++) {
		struct run run = overlay->runs[i];
		if (pwrite(fd, bytes, run.length, run.at) != run.length)
			die("cannot write %s: %s", path, strerror(errno));
		bytes += run.length;
	}
	if (fsync(fd))
		die("fsync: %s", strerror(errno));
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "table") && argc == 4) {
		find_mappings(argv[2], argv[3]);
		printf("%lld\n", (long long)read_page_table(open_pagemap(argv[2])));
	} else if (!strcmp(what, "written") && argc == 4) {
		find_mappings(argv[2], argv[3]);
		printf("%lld\n", (long long)scan_written(open_pagemap(argv[2])));
	} else if (!strcmp(what, "delta") && argc == 7) {
		find_mappings(argv[2], argv[3]);
		delta(argv[4], argv[5]);
		long bytes = 0;
		for (long i = 0; i < run_count; i++)
			bytes += runs[i].length;
		char *into = malloc(bytes + 1);
		if (!into)
			die("out of memory");
		memset(into, 1, bytes + 1); /* its own pages are there before, as staging memory's are */
		for (int n = count_argument(argv[6], "N", 100000); n; n--)
			printf("%lld\n", (long long)read_pages(atoi(argv[2]), into));
	} else if (!strcmp(what, "write") && argc == 5) {
		directory = argv[2];
		bytes_each = atol(argv[4]);
		together(write_one, count_argument(argv[3], "FILES", MOST_THREADS));
	} else if (!strcmp(what, "overlay") && argc >= 5 && argc % 2 && argc <= 3 + 2 * MOST_THREADS) {
		int pairs = (argc - 3) / 2;
		directory = argv[2];
		for (int i = 0; i < pairs; i++)
			prepare_overlay(&overlays[i], argv[3 + 2 * i], argv[4 + 2 * i]);
		together(write_overlay, pairs);
	} else {
		die("usage: see its source");
	}
	return 0;
}
