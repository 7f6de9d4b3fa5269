// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for a small virtual machine monitor. Its "guest" counts in the first page of its memory
// and executes no kernel. Like Firecracker it records the relative paths of its disks and opens them
// again at a restore, writes to guest memory while it saves its devices, and logs written pages.
//
// Arguments: directory, bytes of memory, memory image or "-", saved state or "-", names of disks.
// It works in the directory, takes one order per connection at api.sock there, and answers each with
// one line.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define DISKS 8
#define NAME 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *memory;
static long bytes;
static unsigned char *dirty;
static long mark;
static int running;
static const char *kind;

static struct {
  char name[NAME];
  long size;
} disks[DISKS];
static int disk_count;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

// Every write to memory goes through this function, so the log is complete.
static void add(long page, uint64_t amount) {
  *(uint64_t *)(memory + page * PAGE) += amount;
  dirty[page] = 1;
}

static void *guest(void *unused) {
  struct timespec pause = {0, 200 * 1000};
  for (;;) {
    pthread_mutex_lock(&lock);
    if (running) add(0, 1);
    pthread_mutex_unlock(&lock);
    nanosleep(&pause, NULL);
  }
  return unused;
}

// Opens a disk below the working directory. A recorded size must still be its size.
static void open_disk(const char *name, long recorded) {
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(name);
  long size = lseek(fd, 0, SEEK_END);
  if (recorded >= 0 && size != recorded) {
    errno = EINVAL;
    fail("the size of a disk");
  }
  if (disk_count == DISKS || strlen(name) >= NAME) {
    errno = E2BIG;
    fail(name);
  }
  strcpy(disks[disk_count].name, name);
  disks[disk_count++].size = size;
}

static void load(const char *path) {
  FILE *in = fopen(path, "re");
  char name[NAME];
  long size;
  if (!in || fscanf(in, "micro 1 %ld\n", &size) != 1 || size != bytes) fail("the saved state");
  while (fscanf(in, "disk %63s %ld\n", name, &size) == 2) open_disk(name, size);
  fclose(in);
}

static void save(const char *directory, FILE *answer) {
  char path[4300];
  snprintf(path, sizeof path, "%s/state", directory);
  FILE *out = fopen(path, "we");
  if (!out) {
    fprintf(answer, "no %s: %s\n", path, strerror(errno));
    return;
  }
  // A device completes a request of the guest.
  add(1, 1);
  fprintf(out, "micro 1 %ld\n", bytes);
  for (int i = 0; i < disk_count; i++) fprintf(out, "disk %s %ld\n", disks[i].name, disks[i].size);
  fprintf(out, "end\n");
  if (fclose(out)) {
    unlink(path);
    fprintf(answer, "no %s: %s\n", path, strerror(errno));
    return;
  }
  fprintf(answer, "ok\n");
}

static void drain(FILE *answer) {
  fprintf(answer, "ok %ld %ld", mark, mark + 1);
  mark++;
  for (long page = 0; page < bytes / PAGE; page++) {
    if (dirty[page]) fprintf(answer, " %ld", page);
  }
  memset(dirty, 0, bytes / PAGE);
  fprintf(answer, "\n");
}

static void obey(char *order, FILE *answer) {
  long page;
  pthread_mutex_lock(&lock);
  if (!strcmp(order, "pause")) {
    running = 0;
    fprintf(answer, "ok\n");
  } else if (!strcmp(order, "resume")) {
    running = 1;
    fprintf(answer, "ok\n");
  } else if (!strcmp(order, "memory")) {
    fprintf(answer, "ok %ld %s\n", (long)memory, kind);
  } else if (!strncmp(order, "save ", 5)) {
    save(order + 5, answer);
  } else if (!strcmp(order, "drain")) {
    drain(answer);
  } else if (sscanf(order, "write %ld", &page) == 1 && page > 1 && page < bytes / PAGE) {
    add(page, 1);
    fprintf(answer, "ok\n");
  } else {
    fprintf(answer, "no such order: %s\n", order);
  }
  pthread_mutex_unlock(&lock);
}

static void serve(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "api.sock"};
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 16)) {
    fail("api.sock");
  }
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    FILE *in = fdopen(fd, "r");
    FILE *out = fdopen(dup(fd), "w");
    char order[4200];
    if (in && out && fgets(order, sizeof order, in)) {
      order[strcspn(order, "\n")] = 0;
      obey(order, out);
    }
    if (in) fclose(in);
    if (out) fclose(out);
  }
}

int main(int count, char **args) {
  if (count < 5) return 2;
  setsid();                 // the signals that end its driver are not for it
  signal(SIGPIPE, SIG_IGN); // a driver may end in the middle of a call
  if (chdir(args[1])) fail(args[1]);
  bytes = atol(args[2]);
  int boot = !strcmp(args[3], "-");
  kind = boot ? "ANONYMOUS" : "PRIVATE_IMAGE";
  int fd = boot ? -1 : open(args[3], O_RDONLY | O_CLOEXEC);
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | (boot ? MAP_ANONYMOUS : 0), fd, 0);
  dirty = calloc(bytes / PAGE, 1);
  if (memory == MAP_FAILED || !dirty) fail("memory");
  if (boot) {
    for (int i = 5; i < count; i++) open_disk(args[i], -1);
  } else {
    load(args[4]);
  }
  running = boot;
  pthread_t thread;
  if (pthread_create(&thread, NULL, guest, NULL)) fail("guest");
  serve();
}
