/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "vm.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISK "\"filename\":\""
#define FORWARD "hostfwd=tcp:"

static const char *value_of(const struct model *model, const char *option)
{
	for (int i = 0; model->arguments[i]; i++)
		if (!strcmp(model->arguments[i], option) && model->arguments[i + 1])
			return model->arguments[i + 1];
	die("no %s in the command line", option);
}

void model_read(struct model *model, const char *pid)
{
	static char text[65536];
	char path[PATH_MAX];
	snprintf(path, sizeof path, strchr(pid, '/') ? "%s" : "/proc/%s/cmdline", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (length <= 0)
		die("cannot read %s: %s", path, strerror(errno));
	close(fd);
	int count = 0;
	for (char *at = text; at < text + length; at += strlen(at) + 1) {
		if (count == MOST_ARGUMENTS - 1)
			die("more than %d arguments", MOST_ARGUMENTS);
		model->arguments[count++] = at;
	}
	model->arguments[count] = NULL;

	snprintf(model->directory, sizeof model->directory, "%s", value_of(model, "-pidfile"));
	char *slash = strrchr(model->directory, '/');
	if (!slash)
		die("-pidfile is not absolute: %s", model->directory);
	*slash = 0;
	const char *forward = strstr(value_of(model, "-netdev"), FORWARD);
	if (!forward || sscanf(forward, FORWARD "%63[0-9.]:%d-", model->address, &model->port) != 2)
		die("no forwarded port in %s", value_of(model, "-netdev"));
	const char *disk = strstr(value_of(model, "-blockdev"), DISK);
	if (!disk || sscanf(disk, DISK "%4095[^\"]", model->disk) != 1)
		die("no file in %s", value_of(model, "-blockdev"));
}

/* A copy of `text` with `from` replaced wherever it occurs. */
static char *replace(const char *text, const char *from, const char *to)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);
	for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
		fwrite(text, 1, at - text, stream);
		fputs(to, stream);
	}
	fputs(text, stream);
	fclose(stream);
	return out;
}

/* Kernel, initial ram disk and memory image are read only: those of the model will do. */
static void command_line(char **out, const struct vm *vm, const struct model *model, const char *disk, int incoming)
{
	const char *option = "";
	for (int i = 0; model->arguments[i]; i++) {
		const char *argument = model->arguments[i];
		if (!incoming && !strcmp(argument, "-incoming")) {
			i++;
			continue;
		}
		if (!strcmp(option, "-pidfile") || !strcmp(option, "-chardev") || !strcmp(option, "-fw_cfg"))
			*out++ = replace(argument, model->directory, vm->directory);
		else if (!strcmp(option, "-netdev"))
			*out++ = replace(argument, model->address, vm->address);
		else if (!strcmp(option, "-blockdev"))
			*out++ = replace(argument, model->disk, disk);
		else
			*out++ = strdup(argument);
		option = argument;
	}
	*out = NULL;
}

static void clone_file(const char *from, const char *to)
{
	int source = open(from, O_RDONLY | O_CLOEXEC);
	if (source < 0)
		die("cannot open %s: %s", from, strerror(errno));
	int target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (target < 0)
		die("cannot make %s: %s", to, strerror(errno));
	if (ioctl(target, FICLONE, source))
		die("cannot clone %s: %s", from, strerror(errno));
	close(target);
	close(source);
}

/* The model's own file is deleted once its QEMU has read it. */
static void write_secret(const char *directory)
{
	char path[PATH_MAX + 16];
	snprintf(path, sizeof path, "%s/secret", directory);
	FILE *out = fopen(path, "wxe");
	if (!out || fputs("{\"hostSecret\":\"" VM_SECRET "\"}", out) < 0 || fclose(out))
		die("cannot write %s: %s", path, strerror(errno));
}

static void run(char **command, const char *directory, const char *input, pid_t parent)
{
	int in = open(input ? input : "/dev/null", O_RDONLY);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || in < 0 || chdir(directory) || setsid() < 0)
		_exit(126);
	int log = open("vmm.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	execv(command[0], command);
	_exit(127);
}

void vm_start(struct vm *vm, const struct model *model, const char *work, int number, const char *source_disk,
	const char *input)
{
	char *command[MOST_ARGUMENTS];
	char *disk;
	/* The driver takes addresses from 127.64 to 127.127. */
	snprintf(vm->address, sizeof vm->address, "127.200.%d.%d", (getpid() + number / 250) % 256, 1 + number % 250);
	if (snprintf(vm->directory, sizeof vm->directory, "%s/%d", work, number) >= PATH_MAX - 20)
		die("too long: %s", work);
	snprintf(vm->socket, sizeof vm->socket, "%.*s/qmp.sock", PATH_MAX - 20, vm->directory);
	if (mkdir(vm->directory, 0700))
		die("cannot make %s: %s", vm->directory, strerror(errno));
	if (asprintf(&disk, "%s/disk", vm->directory) < 0)
		die("out of memory");
	clone_file(source_disk, disk);
	write_secret(vm->directory);
	command_line(command, vm, model, disk, input != NULL);
	pid_t parent = getpid();
	vm->pid = fork();
	if (vm->pid < 0)
		die("fork: %s", strerror(errno));
	if (!vm->pid)
		run(command, vm->directory, input, parent);
	for (char **argument = command; *argument; argument++)
		free(*argument);
	free(disk);
}

void vm_end(struct vm *vm)
{
	static const char *const files[] = {"disk", "vmm.log", "console.log", "qmp.sock", "qemu.pid", "secret"};
	char path[PATH_MAX + 16];
	kill(vm->pid, SIGKILL);
	while (waitpid(vm->pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", vm->directory, files[i]);
		unlink(path);
	}
	rmdir(vm->directory);
}
