/* SPDX-License-Identifier: Apache-2.0
 *
 * scatter FILE PAGES SEED: changes so many pages of a file, drawn at random. Runs in a guest, linked
 * statically, where a shell would take seconds for what should be done at once.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { PAGE = 4096 };

/* The generator of Vigna's "Further scramblings of Marsaglia's xorshift generators". */
static uint64_t next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

int main(int argc, char **argv) {
  struct stat file;
  int fd = argc == 4 ? open(argv[1], O_RDWR) : -1;
  if (fd < 0 || fstat(fd, &file) != 0) {
    fprintf(stderr, "usage: scatter FILE PAGES SEED\n");
    return 2;
  }
  uint64_t pages = (uint64_t)file.st_size / PAGE;
  uint64_t state = strtoull(argv[3], NULL, 10) * 2 + 1;
  char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages == 0 || memory == MAP_FAILED) {
    perror("mmap");
    return 1;
  }
  for (long left = strtol(argv[2], NULL, 10); left > 0; left--) {
    uint64_t *page = (uint64_t *)(memory + next(&state) % pages * PAGE);
    for (size_t word = 0; word < PAGE / sizeof *page; word++) {
      page[word] = next(&state);
    }
  }
  return 0;
}
