// SPDX-License-Identifier: Apache-2.0

// Unsynced changes of files, each with the previous bytes, so that it can be undone.

#include "PowerLoss.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A write, or a truncation if there are no bytes.
struct change {
    struct change *previous;
    struct change *next;
    int64_t offset;
    int64_t old_size;
    int64_t old_count;
    char *old_bytes;
    int64_t count;
    char *bytes;
};

struct unsynced_file {
    struct unsynced *all;
    struct unsynced_file *next;
    char *path;
    struct change *first;
    struct change *last;
};

struct unsynced {
    pthread_mutex_t lock;
    struct unsynced_file *files;
};

static void forget(struct unsynced_file *file) {
    for (struct change *change = file->first; change;) {
        struct change *next = change->next;
        free(change->old_bytes);
        free(change->bytes);
        free(change);
        change = next;
    }
    file->first = file->last = NULL;
}

struct unsynced *unsynced_make(void) {
    struct unsynced *all = calloc(1, sizeof *all);
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void unsynced_free(struct unsynced *all) {
    for (struct unsynced_file *file = all->files; file;) {
        struct unsynced_file *next = file->next;
        forget(file);
        free(file->path);
        free(file);
        file = next;
    }
    pthread_mutex_destroy(&all->lock);
    free(all);
}

struct unsynced_file *unsynced_file(struct unsynced *all, const char *path) {
    pthread_mutex_lock(&all->lock);
    struct unsynced_file *file = all->files;
    while (file && strcmp(file->path, path)) file = file->next;
    if (!file) {
        file = calloc(1, sizeof *file);
        file->all = all;
        file->path = strdup(path);
        file->next = all->files;
        all->files = file;
    }
    pthread_mutex_unlock(&all->lock);
    return file;
}

// Records the previous bytes of a range before a change.
static void note(struct unsynced_file *file, sqlite3_file *opened, const void *bytes, int64_t count, int64_t offset) {
    struct change *change = calloc(1, sizeof *change);
    change->offset = offset;
    sqlite3_int64 size = 0;
    opened->pMethods->xFileSize(opened, &size);
    change->old_size = size;
    int64_t end = bytes ? offset + count : size;
    if (end > size) end = size;
    if (end > offset) {
        change->old_count = end - offset;
        change->old_bytes = malloc(change->old_count);
        opened->pMethods->xRead(opened, change->old_bytes, (int)change->old_count, offset);
    }
    if (bytes) {
        change->count = count;
        change->bytes = malloc(count ? count : 1);
        memcpy(change->bytes, bytes, count);
    }
    pthread_mutex_lock(&file->all->lock);
    change->previous = file->last;
    if (file->last) file->last->next = change; else file->first = change;
    file->last = change;
    pthread_mutex_unlock(&file->all->lock);
}

void unsynced_write(struct unsynced_file *file, sqlite3_file *opened, const void *bytes, int count, int64_t offset) {
    if (file) note(file, opened, bytes, count, offset);
}

void unsynced_truncate(struct unsynced_file *file, sqlite3_file *opened, int64_t size) {
    if (file) note(file, opened, NULL, 0, size);
}

void unsynced_sync(struct unsynced_file *file) {
    pthread_mutex_lock(&file->all->lock);
    forget(file);
    pthread_mutex_unlock(&file->all->lock);
}

void unsynced_delete(struct unsynced *all, const char *path) {
    struct unsynced_file *file = unsynced_file(all, path);
    unsynced_sync(file);
}

static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static bool put(int descriptor, const char *bytes, int64_t count, int64_t offset) {
    return pwrite(descriptor, bytes, count, offset) == count;
}

static bool lose(struct unsynced_file *file, uint64_t *random, int percent_kept) {
    if (!file->first) return true;
    int descriptor = open(file->path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool is_done = true;
    for (struct change *change = file->last; change; change = change->previous) {
        is_done &= ftruncate(descriptor, change->old_size) == 0;
        is_done &= put(descriptor, change->old_bytes, change->old_count, change->offset);
    }
    for (struct change *change = file->first; change; change = change->next) {
        if ((int)(next_random(random) % 100) >= percent_kept) continue;
        if (!change->bytes) {
            is_done &= ftruncate(descriptor, change->offset) == 0;
            continue;
        }
        // One write in four is partial, by whole sectors.
        int64_t count = change->count;
        int64_t sectors = count / 512;
        if (percent_kept < 100 && sectors > 1 && next_random(random) % 4 == 0) {
            count = 512 * (int64_t)(next_random(random) % sectors);
        }
        is_done &= put(descriptor, change->bytes, count, change->offset);
    }
    close(descriptor);
    forget(file);
    return is_done;
}

bool unsynced_lose(struct unsynced *all, uint64_t seed, int percent_kept) {
    pthread_mutex_lock(&all->lock);
    bool is_done = true;
    for (struct unsynced_file *file = all->files; file; file = file->next) {
        is_done &= lose(file, &seed, percent_kept);
    }
    pthread_mutex_unlock(&all->lock);
    return is_done;
}
