// SPDX-License-Identifier: Apache-2.0

// Files and memory that fail SQLite on purpose, for tests. Everything here is a number, so that Swift needs no pointers.

#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stdbool.h>
#include <stdint.h>

// What SQLite asks a file system for.
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

// Registers a file system of its own, named "faulty" and the number that is returned; negative where there are too many.
// It does what the default one does until it is told otherwise.
int faulty_make(void);

// Takes a file system out of SQLite's list. No file of it may be open.
void faulty_remove(int number);

// Lets the n-th operation of a kind from now on fail with a code of SQLite's, and all later ones where that lasts. A write
// that is cut leaves half of its bytes.
void faulty_fail(int number, int operation, int64_t n, int code, bool lasts, bool cut);

// Ends all failing, but not the loss of power.
void faulty_mend(int number);

// How many operations have failed.
int64_t faulty_failures(int number);

// How many bytes have been asked for.
int64_t faulty_bytes_read(int number);

// Whether files can be opened for reading alone.
void faulty_make_read_only(int number, bool is_read_only);

// Keeps what is written until it is synced, as a disk does that loses it without power. Files that are made or deleted are
// so at once.
void faulty_watch_power(int number);

// Switches the power off, at once or with the n-th write or sync from now on: every later operation fails.
void faulty_lose_power(int number, int64_t n);

// Gives the files the bytes that they have when the power is back: what was synced, and of each later write all, a part, or
// nothing, by chance. No file may be open. False where a file can't be written.
bool faulty_restore_power(int number, uint64_t seed, int percent_kept);

// Has SQLite's memory come from an allocator that can fail. False after SQLite has been used.
bool faulty_memory_install(void);

// Lets the n-th allocation from now on fail, and all later ones where that lasts; none where n is 0.
void faulty_memory_fail(int64_t n, bool lasts);

// How many allocations have failed since it was last asked to fail them.
int64_t faulty_memory_failures(void);

#endif
