// SPDX-License-Identifier: Apache-2.0

// Unsynced changes of files.

#ifndef POWER_LOSS_H
#define POWER_LOSS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

// All files of one file system.
struct unsynced;
// One of them, for any connection; NULL unless power loss is simulated.
struct unsynced_file;

struct unsynced *unsynced_make(void);
void unsynced_free(struct unsynced *all);
struct unsynced_file *unsynced_file(struct unsynced *all, const char *path);

// Called before the change.
void unsynced_write(struct unsynced_file *file, sqlite3_file *opened, const void *bytes, int count, int64_t offset);
void unsynced_truncate(struct unsynced_file *file, sqlite3_file *opened, int64_t size);

// Called after the change.
void unsynced_sync(struct unsynced_file *file);
void unsynced_delete(struct unsynced *all, const char *path);

// Undoes all unsynced changes, and repeats some of them.
bool unsynced_lose(struct unsynced *all, uint64_t seed, int percent_kept);

#endif
