/* SPDX-License-Identifier: Apache-2.0 */
/* A QEMU like one that Ramet runs, in another directory, at another address, on another disk. */
#ifndef RAMET_BENCH_VM_H
#define RAMET_BENCH_VM_H

#include <limits.h>
#include <sys/types.h>

#define MOST_ARGUMENTS 128

/* What the agent in each of these machines asks of its host. */
#define VM_SECRET "floor"

/* The command line of a process, and what in it is a machine's own. */
struct model {
	char *arguments[MOST_ARGUMENTS];
	char directory[PATH_MAX];
	char address[64];
	int port;
	char disk[PATH_MAX];
};

struct vm {
	char directory[PATH_MAX];
	char socket[PATH_MAX];
	char address[64];
	pid_t pid;
};

/* Reads /proc/PID/cmdline, or a copy of one whose path is given. */
void model_read(struct model *model, const char *pid);

/*
 * Clones the disk, and starts QEMU in WORK/NUMBER (made here) with `input` as standard input; without
 * one it is started without -incoming. It dies with the calling thread.
 */
void vm_start(struct vm *vm, const struct model *model, const char *work, int number, const char *source_disk,
	const char *input);

/* Ends it and removes its directory. */
void vm_end(struct vm *vm);

#endif
