// SPDX-License-Identifier: Apache-2.0
// A process whose memory is captured, in the place of a hypervisor: it maps an image privately,
// and every way in which memory can change is a command of one line, answered by one line.
//   tracked IMAGE BYTES
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096L
#define HUGE (2L << 20)
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static char *memory;
static const char *image;

// Where a hypervisor has threads of its own, which a tracker may borrow.
static void *idle(void *unused) {
  for (;;) pause();
  return unused;
}

// Reserves room that starts at a border of huge pages, so that a check knows where they can be.
static char *reserve(long bytes) {
  char *room = mmap(NULL, bytes + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return NULL;
  return (char *)(((unsigned long)room + HUGE - 1) & -HUGE);
}

static int map(char *at, long bytes, long offset, int anonymous) {
  int fd = anonymous ? -1 : open(image, O_RDONLY | O_CLOEXEC);
  int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (anonymous ? MAP_ANONYMOUS : 0);
  void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, anonymous ? 0 : offset);
  if (fd >= 0) close(fd);
  return got == MAP_FAILED ? -1 : 0;
}

// The kernel, not this program, writes to memory: as a device's driver does.
static int load(const char *file, char *at, long bytes, int direct) {
  int fd = open(file, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
  if (fd < 0) return -1;
  long done = 0, n = 1;
  while (done < bytes && (n = read(fd, at + done, bytes - done)) > 0) done += n;
  int error = errno;
  close(fd);
  errno = n < 0 ? error : EIO;
  return done == bytes ? 0 : -1;
}

// A child that shares all pages writes to some of its own: these must not be taken for ours.
static int forked(char *at, long bytes, int value) {
  pid_t child = fork();
  if (child == 0) {
    memset(at, value, bytes);
    _exit(0);
  }
  return child < 0 || waitpid(child, NULL, 0) != child ? -1 : 0;
}

// Writes to the memory of another process.
static int other(long pid, unsigned long address, long bytes, int value) {
  char *from = malloc(bytes);
  memset(from, value, bytes);
  struct iovec local = {from, bytes}, remote = {(void *)address, bytes};
  long n = process_vm_writev(pid, &local, 1, &remote, 1, 0);
  int error = errno;
  free(from);
  errno = n < 0 ? error : EIO;
  return n == bytes ? 0 : -1;
}

static int moved(char *at, long bytes) {
  char *to = reserve(bytes);
  return !to || mremap(at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED ? -1 : 0;
}

static int toggled(char *at, long bytes) {
  return mprotect(at, bytes, PROT_READ) || mprotect(at, bytes, PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv) {
  pthread_t thread;
  if (argc != 3) return 2;
  image = argv[1];
  setvbuf(stdout, NULL, _IOLBF, 0);
  long size = atol(argv[2]);
  memory = reserve(size);
  if (!memory || map(memory, size, 0, 0) || pthread_create(&thread, NULL, idle, NULL)) return 2;
  printf("ready %d %lx\n", getpid(), (unsigned long)memory);
  char line[4096], op[16], file[4000];
  while (fgets(line, sizeof line, stdin)) {
    long page = 0, count = 1, value = 0, pid = 0;
    unsigned long address = 0;
    int result = -1;
    file[0] = 0;
    sscanf(line, "%15s", op);
    if (!strcmp(op, "load") || !strcmp(op, "direct")) {
      sscanf(line, "%*s %3999s %ld %ld", file, &page, &count);
    } else if (!strcmp(op, "other")) {
      sscanf(line, "%*s %ld %lx %ld %ld", &pid, &address, &count, &value);
    } else {
      sscanf(line, "%*s %ld %ld %ld", &page, &count, &value);
    }
    char *at = memory + page * PAGE;
    long bytes = count * PAGE;
    errno = 0;
    if (!strcmp(op, "fill")) {
      memset(at, (int)value, bytes);
      result = 0;
    } else if (!strcmp(op, "poke")) {
      for (long i = 0; i < count; i++) at[i * PAGE + value] ^= 0x55;
      result = 0;
    } else if (!strcmp(op, "read")) {
      for (long i = 0; i < count; i++) (void)*(volatile char *)(at + i * PAGE);
      result = 0;
    } else if (!strcmp(op, "advise")) {
      result = madvise(at, bytes, (int)value);
    } else if (!strcmp(op, "anonymous")) {
      result = map(at, bytes, 0, 1);
    } else if (!strcmp(op, "image")) {
      result = map(at, bytes, page * PAGE, 0);
    } else if (!strcmp(op, "load")) {
      result = load(file, at, bytes, 0);
    } else if (!strcmp(op, "direct")) {
      result = load(file, at, bytes, 1);
    } else if (!strcmp(op, "fork")) {
      result = forked(at, bytes, (int)value);
    } else if (!strcmp(op, "other")) {
      result = other(pid, address, bytes, (int)value);
    } else if (!strcmp(op, "move")) {
      result = moved(at, bytes);
    } else if (!strcmp(op, "unmap")) {
      result = munmap(at, bytes);
    } else if (!strcmp(op, "toggle")) {
      result = toggled(at, bytes);
    }
    if (result == 0) {
      puts("ok");
    } else {
      printf("errno %d\n", errno);
    }
  }
  return 0;
}
