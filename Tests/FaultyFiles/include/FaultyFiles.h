// SPDX-License-Identifier: Apache-2.0

// Files and memory that fail on purpose, for tests of SQLite. All values are numbers, so that Swift needs no pointers.

#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stdbool.h>
#include <stdint.h>

// The operations of a file system.
enum faulty_operation {
    faulty_open,
    faulty_read,
    faulty_write,
    faulty_sync,
    faulty_truncate,
    faulty_delete,
    faulty_size,
    faulty_access,
    faulty_lock,
    faulty_shared_map,
    faulty_shared_lock
};

// Registers a file system named "faulty" and the returned number, or returns a negative number if there are too many.
// It behaves like the default one until a failure is requested.
int faulty_make(void);

// Unregisters a file system. None of its files may be open.
void faulty_remove(int number);

// Makes the n-th operation of a kind from now on fail with a code of SQLite's, and all later ones if that lasts. A cut
// write leaves half of its bytes.
void faulty_fail(int number, int operation, int64_t n, int code, bool lasts, bool cut);

// Ends all failures, except a loss of power.
void faulty_mend(int number);

// The number of failed operations.
int64_t faulty_failures(int number);

// The number of requested bytes.
int64_t faulty_bytes_read(int number);

// Whether files can only be opened for reading.
void faulty_make_read_only(int number, bool is_read_only);

// Keeps changes in memory until they are synced, as a disk loses them without power. Files are created and deleted
// immediately.
void faulty_watch_power(int number);

// Switches the power off, now or with the n-th write or sync from now on: every later operation fails.
void faulty_lose_power(int number, int64_t n);

// Restores the files after a loss of power: the synced bytes, and of each later write all, a part or nothing, at
// random. No file may be open. False if a file can't be written.
bool faulty_restore_power(int number, uint64_t seed, int percent_kept);

// Makes SQLite use an allocator that can fail. False if SQLite has already been used.
bool faulty_memory_install(void);

// Makes the n-th allocation from now on fail, and all later ones if that lasts; none if n is 0.
void faulty_memory_fail(int64_t n, bool lasts);

// The number of failed allocations since the last request.
int64_t faulty_memory_failures(void);

#endif
