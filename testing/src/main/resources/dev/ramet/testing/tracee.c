// SPDX-License-Identifier: Apache-2.0
// A process that others track and borrow threads of. It maps an image privately, obeys commands,
// and has threads in every kind of place, which notice when they are disturbed.
//   tracee IMAGE PAGES MODE     mode: threads | single | a seccomp answer to userfaultfd, or to
//                               the system call whose number follows: ANSWER@NUMBER
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
static char *memory;
static volatile long futex_errors, poll_errors, sleep_errors, read_errors, busy_errors, rounds;
static volatile long sent, received;
static int word, pipe_fds[2];
static volatile int quiet;
static int up;

static void ready(const char *name) {
  pthread_setname_np(pthread_self(), name);
  __atomic_add_fetch(&up, 1, __ATOMIC_SEQ_CST);
}

static void on_signal(int number) {
  (void)number;
  __atomic_add_fetch(&received, 1, __ATOMIC_SEQ_CST);
}

// Whether a vector register keeps all of its bits, the upper ones too, for a while.
__attribute__((target("avx"))) static int keeps_vector(void) {
  static const uint64_t pattern[4] = {0x0123456789abcdef, 0xfedcba9876543210, 0x55aa55aa33cc33cc,
                                      0x0f1e2d3c4b5a6978};
  uint64_t seen[4];
  long turns = 400000;
  __asm__ volatile(
      "vmovdqu %2, %%ymm13\n1: dec %1\njnz 1b\nvmovdqu %%ymm13, %0\nvzeroupper"
      : "=m"(seen), "+r"(turns)
      : "m"(pattern)
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return memcmp(seen, pattern, sizeof seen) == 0;
}

// Keeps its state in general and in vector registers and checks itself against a closed form;
// and has an alternate stack for signals.
static void *busy(void *unused) {
  int vectors = __builtin_cpu_supports("avx");
  static char other[64 * 1024];
  stack_t alternate = {.ss_sp = other, .ss_size = sizeof other}, now;
  if (sigaltstack(&alternate, NULL)) abort();
  ready("busy");
  for (;;) {
    uint64_t x = 1, sum = 0;
    double d = 0;
    for (int i = 1; i <= 200000; i++) {
      x = x * 6364136223846793005ULL + 1442695040888963407ULL;
      sum += i;
      d += i;
    }
    static uint64_t expected;
    if (expected == 0) expected = x;
    if (x != expected || sum != 20000100000ULL || d != 20000100000.0) busy_errors++;
    if (vectors && !keeps_vector()) busy_errors++;
    if (sigaltstack(NULL, &now) || now.ss_sp != other || now.ss_flags != 0) busy_errors++;
    rounds++;
  }
  return unused;
}

static void *in_futex(void *unused) {
  ready("futex");
  for (;;) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    futex_errors++;
  }
  return unused;
}

static void *in_poll(void *unused) {
  ready("ppoll");
  sigset_t other; // Not the thread's own mask: it must come back with the call.
  sigemptyset(&other);
  sigaddset(&other, SIGRTMIN);
  sigaddset(&other, SIGUSR2);
  for (;;) {
    ppoll(NULL, 0, NULL, &other);
    poll_errors++;
  }
  return unused;
}

static void *in_sleep(void *unused) {
  ready("sleep");
  for (;;) {
    struct timespec t = {0, 30000000};
    if (nanosleep(&t, NULL) != 0) sleep_errors++;
  }
  return unused;
}

static void *in_read(void *unused) {
  ready("read");
  for (;;) {
    char c;
    if (read(pipe_fds[0], &c, 1) != 1) read_errors++;
  }
  return unused;
}

static void *in_epoll(void *unused) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  ready("epoll");
  struct epoll_event e;
  for (;;) epoll_wait(fd, &e, 1, -1);
  return unused;
}

// Waits where its stack has no room for anything more, as no signal handler could run there.
static void *in_deep(void *unused) {
  char *low = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (low == MAP_FAILED || mprotect(low + PAGE, PAGE, PROT_READ | PROT_WRITE)) abort();
  char c;
  ready("deep");
  for (;;) {
    long result = SYS_read;
    __asm__ volatile("mov %%rsp, %%rbx\nmov %4, %%rsp\nsyscall\nmov %%rbx, %%rsp"
                     : "+a"(result)
                     : "D"((long)pipe_fds[0]), "S"(&c), "d"(1L), "r"(low + PAGE + 1024)
                     : "rbx", "rcx", "r11", "memory");
    if (result != 1) read_errors++;
  }
  return unused;
}

static void *signals(void *unused) {
  ready("signals");
  union sigval v = {0};
  for (;;) {
    struct timespec t = {0, 500000};
    nanosleep(&t, NULL);
    if (!quiet && sigqueue(getpid(), SIGRTMIN, v) == 0) __atomic_add_fetch(&sent, 1, __ATOMIC_SEQ_CST);
  }
  return unused;
}

static int threads;

static void start(void *(*run)(void *), int takes_signals) {
  sigset_t set;
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(takes_signals ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
  if (pthread_create(&thread, NULL, run, NULL) != 0) abort();
  threads++;
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void filter(const char *mode) {
  char *end;
  unsigned answer = strtoul(mode, &end, 0), call = *end ? strtoul(end + 1, NULL, 0) : SYS_userfaultfd;
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog all = {sizeof program / sizeof *program, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &all)) abort();
}

static void map(const char *image, long page, long count, int flags) {
  int fd = image ? open(image, O_RDONLY | O_CLOEXEC) : -1;
  void *at = mmap(memory ? memory + page * PAGE : NULL, count * PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | flags | (memory ? MAP_FIXED : 0), fd, image ? page * PAGE : 0);
  if (at == MAP_FAILED) abort();
  if (!memory) memory = at;
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 4 || pipe2(pipe_fds, O_CLOEXEC)) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  map(argv[1], 0, atol(argv[2]), 0);
  signal(SIGRTMIN, on_signal);
  if (argv[3][0] >= '0' && argv[3][0] <= '9') filter(argv[3]);
  if (strcmp(argv[3], "single") != 0) {
    start(in_futex, 0), start(in_poll, 0), start(in_sleep, 0), start(in_read, 0), start(in_epoll, 0);
  }
  if (strcmp(argv[3], "threads") == 0) {
    start(busy, 1), start(signals, 0), start(in_deep, 0);
  }
  while (__atomic_load_n(&up, __ATOMIC_SEQ_CST) != threads) usleep(100);
  printf("ready %d %lx\n", getpid(), (unsigned long)memory);
  char line[128], c;
  while (fgets(line, sizeof line, stdin)) {
    long page = 0, count = 1, value = 0;
    char op = line[0];
    sscanf(line + 1, "%ld %ld %ld", &page, &count, &value);
    char *at = memory + page * PAGE;
    switch (op) {
      case 'w': memset(at, (int)value, count * PAGE); break;
      case 'b': for (long i = 0; i < count; i++) at[i * PAGE + value] ^= 0x55; break;
      case 'r': for (long i = 0; i < count; i++) c = ((volatile char *)at)[i * PAGE]; break;
      case 'd': if (madvise(at, count * PAGE, MADV_DONTNEED)) abort(); break;
      case 'o': if (madvise(at, count * PAGE, MADV_PAGEOUT)) abort(); break;
      case 'h': madvise(at, count * PAGE, MADV_HUGEPAGE); break;
      case 'a': map(NULL, page, count, MAP_ANONYMOUS); break;
      case 'm': map(argv[1], page, count, 0); break;
      case 'k': {
        int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
        if (read(fd, at, count * PAGE) < 1) abort();
        close(fd);
        break;
      }
      case 'f': {
        pid_t child = fork();
        if (child == 0) {
          memset(at, 0x77, count * PAGE);
          _exit(0);
        }
        waitpid(child, NULL, 0);
        break;
      }
      case 'x': execlp("sleep", "sleep", "60", NULL); abort();
      case 's':
        quiet = 1; // No more signals; those on their way arrive.
        for (int i = 0; i < 200; i++) {
          usleep(10000);
          if (i >= 4 && sent == received) break;
        }
        printf("%ld %ld %ld %ld %ld %ld %ld\n", busy_errors, futex_errors, poll_errors,
               sleep_errors, read_errors, sent - received, rounds);
        quiet = 0;
        continue;
      default: return 3;
    }
    puts("ok");
  }
  (void)c;
  return 0;
}
