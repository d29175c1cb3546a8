// SPDX-License-Identifier: Apache-2.0

// An allocator for SQLite whose allocations fail on request.

#include "FaultyFiles.h"

#include <pthread.h>
#include <sqlite3.h>

static sqlite3_mem_methods real;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t remaining;
static int64_t failures;
static bool stays;

static bool fails(void) {
    pthread_mutex_lock(&lock);
    bool is_due = remaining > 0 && --remaining == 0;
    if (is_due) {
        failures++;
        if (stays) remaining = 1;
    }
    pthread_mutex_unlock(&lock);
    return is_due;
}

static void *allocate(int size) { return fails() ? NULL : real.xMalloc(size); }

static void *reallocate(void *memory, int size) { return fails() ? NULL : real.xRealloc(memory, size); }

bool faulty_memory_install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK) return false;
    sqlite3_mem_methods methods = real;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    // Each allocation must come here, rather than from a connection's lookaside memory.
    return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK
        && sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

void faulty_memory_fail(int64_t n, bool lasts) {
    pthread_mutex_lock(&lock);
    remaining = n;
    stays = lasts;
    failures = 0;
    pthread_mutex_unlock(&lock);
}

int64_t faulty_memory_failures(void) {
    pthread_mutex_lock(&lock);
    int64_t count = failures;
    pthread_mutex_unlock(&lock);
    return count;
}
