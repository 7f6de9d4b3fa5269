/* SPDX-License-Identifier: Apache-2.0 */
/*
 * empty-vmm PID DISK WORK: QEMU as in Ramet's machine PID, but with nothing loaded and stopped at its
 * first instruction. Prints its pid, and ends it when standard input ends.
 */
#include "common.h"
#include "vm.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static struct model model;
	static struct qmp qmp;
	static struct vm vm;
	char byte;
	if (argc != 4)
		die("usage: empty-vmm PID DISK WORK");
	model_read(&model, argv[1]);
	vm_start(&vm, &model, argv[3], 0, argv[2], NULL);
	qmp_open(&qmp, vm.socket, vm.pid);
	qmp_run(&qmp, "{\"execute\":\"query-status\"}\n");
	printf("%d\n", (int)vm.pid);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	vm_end(&vm);
	return 0;
}
