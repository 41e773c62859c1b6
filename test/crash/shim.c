/*
 * Real faults for a real process, by LD_PRELOAD: fsync that fails with EIO, writes that fail with
 * ENOSPC, and a wall clock that is off. A test compiles this into a temporary folder (see shim.ts)
 * and steers it while the server runs, through one page of memory shared by a file.
 *
 * Only files inside FAULT_FOLDER are touched (by readlink of /proc/self/fd/N): sockets, logs and
 * whatever Node reads keep working. The monotonic clock is never touched.
 *
 * The layout of the page is written down a second time in shim.ts: change both.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct page {
  volatile int64_t fsync_fails;    /* 0 no, 1 every file of the folder, 2 only the WAL, 3 only the main database file */
  volatile int64_t writes_fail;    /* 0 no, 1 every write, 2 only writes that make a file grow */
  volatile int64_t clock_shift_ns; /* added to the wall clock */
  volatile int64_t fsync_faults;   /* how many calls were made to fail */
  volatile int64_t write_faults;
  volatile int64_t clock_reads; /* readings of the wall clock: proof that the process asks here */
};

static struct page nothing;
static struct page *page = &nothing;
static char folder[PATH_MAX];
static size_t folder_length;

__attribute__((constructor)) static void attach(void) {
  const char *file = getenv("FAULT_PAGE");
  const char *inside = getenv("FAULT_FOLDER");
  if (file == NULL || inside == NULL) return;
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  snprintf(folder, sizeof folder, "%s/", inside);
  folder_length = strlen(folder);
  page = mapped;
}

/* Copies the path behind a descriptor when it lies in the folder; 0 otherwise. */
static int path_inside(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return folder_length > 0 && strncmp(path, folder, folder_length) == 0;
}

static int ends_with(const char *text, const char *tail) {
  size_t text_length = strlen(text), tail_length = strlen(tail);
  return text_length >= tail_length && strcmp(text + text_length - tail_length, tail) == 0;
}

static int sync_must_fail(int fd) {
  char path[PATH_MAX];
  int64_t mode = page->fsync_fails;
  if (mode == 0 || !path_inside(fd, path, sizeof path)) return 0;
  if (mode == 2 && !ends_with(path, "-wal")) return 0;
  if (mode == 3 && !ends_with(path, "doorbuster.db")) return 0;
  __sync_fetch_and_add(&page->fsync_faults, 1);
  errno = EIO;
  return 1;
}

/* `end`: one past the last byte that the call would write; negative: at the descriptor's own place. */
static int write_must_fail(int fd, int64_t end, size_t count) {
  char path[PATH_MAX];
  struct stat now;
  int64_t mode = page->writes_fail;
  if (mode == 0 || count == 0 || !path_inside(fd, path, sizeof path)) return 0;
  if (mode == 2) {
    if (end < 0) end = (int64_t)lseek(fd, 0, SEEK_CUR) + (int64_t)count;
    if (fstat(fd, &now) == 0 && end <= (int64_t)now.st_size) return 0;
  }
  __sync_fetch_and_add(&page->write_faults, 1);
  errno = ENOSPC;
  return 1;
}

#define REAL(name) ((__typeof__(&name))real_of(#name))
static void *real_of(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

int fsync(int fd) {
  return sync_must_fail(fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  return sync_must_fail(fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  return write_must_fail(fd, -1, count) ? -1 : syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return write_must_fail(fd, offset + (int64_t)count, count) ? -1 : syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return pwrite64(fd, bytes, count, offset);
}

static size_t sum(const struct iovec *parts, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  return bytes;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return write_must_fail(fd, -1, sum(parts, count)) ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  size_t bytes = sum(parts, count);
  if (write_must_fail(fd, offset + (int64_t)bytes, bytes)) return -1;
  return REAL(pwritev64)(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

int ftruncate64(int fd, off64_t length) {
  struct stat now;
  if (page->writes_fail != 0 && fstat(fd, &now) == 0 && length > now.st_size && write_must_fail(fd, length, 1)) return -1;
  return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) {
  return ftruncate64(fd, length);
}

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  if (write_must_fail(fd, offset + length, 1)) return ENOSPC; /* this one returns the error */
  return REAL(posix_fallocate64)(fd, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length) {
  return posix_fallocate64(fd, offset, length);
}

static int real_clock(clockid_t clock, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = REAL(clock_gettime);
  return real != NULL ? real(clock, at) : (int)syscall(SYS_clock_gettime, clock, at);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  int result = real_clock(clock, at);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  __sync_fetch_and_add(&page->clock_reads, 1);
  int64_t shifted = (int64_t)at->tv_sec * 1000000000 + at->tv_nsec + page->clock_shift_ns;
  at->tv_sec = shifted / 1000000000;
  at->tv_nsec = shifted % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  at->tv_sec = exact.tv_sec;
  at->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  if (seconds != NULL) *seconds = exact.tv_sec;
  return exact.tv_sec;
}
