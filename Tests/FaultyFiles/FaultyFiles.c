// SPDX-License-Identifier: Apache-2.0

// A file system for SQLite that wraps the default one, and whose operations fail on request.

#include "FaultyFiles.h"
#include "PowerLoss.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { limit = 256 };

struct files {
    sqlite3_vfs vfs;
    char name[16];
    pthread_mutex_t lock;
    int64_t failures;
    int64_t bytes_read;
    // The next failure; none if `remaining` is 0.
    int operation;
    int64_t remaining;
    int code;
    bool lasts;
    bool cut;
    bool is_read_only;
    bool has_power;
    int64_t writes_until_power_loss;
    struct unsynced *unsynced;
};

// Followed by the default file system's own file.
struct file {
    sqlite3_file base;
    struct files *files;
    struct unsynced_file *unsynced;
};

static struct files *all[limit];
static int made;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *real;
static sqlite3_io_methods methods;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((struct file *)file + 1); }

// The error code of an operation, or SQLITE_OK if it is to be performed.
static int failure(struct files *files, int operation, bool *cut) {
    pthread_mutex_lock(&files->lock);
    int code = SQLITE_OK;
    if (files->writes_until_power_loss > 0 && (operation == faulty_write || operation == faulty_sync)
        && --files->writes_until_power_loss == 0) {
        files->has_power = false;
    }
    if (!files->has_power) {
        code = SQLITE_IOERR;
    } else if (files->remaining > 0 && operation == files->operation && --files->remaining == 0) {
        code = files->code;
        if (cut) *cut = files->cut;
        if (files->lasts) files->remaining = 1;
    }
    if (code != SQLITE_OK) files->failures++;
    pthread_mutex_unlock(&files->lock);
    return code;
}

#define FAIL_IF_TOLD(files, operation)                \
    do {                                              \
        int code = failure(files, operation, NULL);   \
        if (code != SQLITE_OK) return code;           \
    } while (0)

// MARK: Files

static int file_close(sqlite3_file *file) { return inner(file)->pMethods->xClose(inner(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    struct files *files = ((struct file *)file)->files;
    FAIL_IF_TOLD(files, faulty_read);
    pthread_mutex_lock(&files->lock);
    files->bytes_read += count;
    pthread_mutex_unlock(&files->lock);
    return inner(file)->pMethods->xRead(inner(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct file *own = (struct file *)file;
    bool cut = false;
    int code = failure(own->files, faulty_write, &cut);
    if (code != SQLITE_OK && !cut) return code;
    if (cut) count /= 2;
    unsynced_write(own->unsynced, inner(file), bytes, count, offset);
    int result = inner(file)->pMethods->xWrite(inner(file), bytes, count, offset);
    return cut ? code : result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    FAIL_IF_TOLD(((struct file *)file)->files, faulty_truncate);
    unsynced_truncate(((struct file *)file)->unsynced, inner(file), size);
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    FAIL_IF_TOLD(((struct file *)file)->files, faulty_sync);
    // While power loss is simulated, the unsynced changes decide what is on the disk.
    if (!((struct file *)file)->unsynced) return inner(file)->pMethods->xSync(inner(file), flags);
    unsynced_sync(((struct file *)file)->unsynced);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    FAIL_IF_TOLD(((struct file *)file)->files, faulty_size);
    return inner(file)->pMethods->xFileSize(inner(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    FAIL_IF_TOLD(((struct file *)file)->files, faulty_lock);
    return inner(file)->pMethods->xLock(inner(file), level);
}

static int file_unlock(sqlite3_file *file, int level) { return inner(file)->pMethods->xUnlock(inner(file), level); }

static int file_check_lock(sqlite3_file *file, int *is_locked) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), is_locked);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int file_characteristics(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int file_shared_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    FAIL_IF_TOLD(((struct file *)file)->files, faulty_shared_map);
    return inner(file)->pMethods->xShmMap(inner(file), page, size, extend, memory);
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    // Unlocking never fails.
    if (flags & SQLITE_SHM_LOCK) FAIL_IF_TOLD(((struct file *)file)->files, faulty_shared_lock);
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static void file_shared_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int file_shared_unmap(sqlite3_file *file, int delete_it) {
    return inner(file)->pMethods->xShmUnmap(inner(file), delete_it);
}

static sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shared_map,
    .xShmLock = file_shared_lock,
    .xShmBarrier = file_shared_barrier,
    .xShmUnmap = file_shared_unmap,
};

// MARK: The file system

static int files_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
    struct files *files = vfs->pAppData;
    struct file *own = (struct file *)file;
    own->base.pMethods = NULL;
    FAIL_IF_TOLD(files, faulty_open);
    if (files->is_read_only && flags & SQLITE_OPEN_READWRITE) {
        if (!(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    int result = real->xOpen(real, name, inner(file), flags, given);
    if (result != SQLITE_OK) return result;
    own->base.pMethods = &methods;
    own->files = files;
    bool is_kept = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL);
    pthread_mutex_lock(&files->lock);
    own->unsynced = is_kept && files->unsynced ? unsynced_file(files->unsynced, name) : NULL;
    pthread_mutex_unlock(&files->lock);
    return SQLITE_OK;
}

static int files_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    struct files *files = vfs->pAppData;
    FAIL_IF_TOLD(files, faulty_delete);
    int result = real->xDelete(real, name, sync);
    if (result == SQLITE_OK && files->unsynced) unsynced_delete(files->unsynced, name);
    return result;
}

static int files_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    FAIL_IF_TOLD((struct files *)vfs->pAppData, faulty_access);
    return real->xAccess(real, name, flags, result);
}

static int files_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    return real->xFullPathname(real, name, size, path);
}

static int files_random(sqlite3_vfs *vfs, int count, char *bytes) { return real->xRandomness(real, count, bytes); }

static int files_sleep(sqlite3_vfs *vfs, int microseconds) { return real->xSleep(real, microseconds); }

static int files_time(sqlite3_vfs *vfs, double *time) { return real->xCurrentTime(real, time); }

static int files_last_error(sqlite3_vfs *vfs, int size, char *message) {
    return real->xGetLastError(real, size, message);
}

static int files_time64(sqlite3_vfs *vfs, sqlite3_int64 *time) { return real->xCurrentTimeInt64(real, time); }

// MARK: Functions for tests

int faulty_make(void) {
    pthread_mutex_lock(&all_lock);
    if (!real) real = sqlite3_vfs_find(NULL);
    int number = made < limit ? made : -1;
    struct files *files = number < 0 ? NULL : sqlite3_malloc(sizeof(struct files));
    if (files) {
        made++;
        memset(files, 0, sizeof *files);
        snprintf(files->name, sizeof files->name, "faulty%d", number);
        pthread_mutex_init(&files->lock, NULL);
        files->has_power = true;
        files->vfs = (sqlite3_vfs){
            .iVersion = 2,
            .szOsFile = (int)sizeof(struct file) + real->szOsFile,
            .mxPathname = real->mxPathname,
            .zName = files->name,
            .pAppData = files,
            .xOpen = files_open,
            .xDelete = files_delete,
            .xAccess = files_access,
            .xFullPathname = files_path,
            .xRandomness = files_random,
            .xSleep = files_sleep,
            .xCurrentTime = files_time,
            .xGetLastError = files_last_error,
            .xCurrentTimeInt64 = files_time64,
        };
        all[number] = files;
        if (sqlite3_vfs_register(&files->vfs, 0) != SQLITE_OK) number = -1;
    }
    pthread_mutex_unlock(&all_lock);
    return files ? number : -1;
}

void faulty_remove(int number) {
    struct files *files = all[number];
    sqlite3_vfs_unregister(&files->vfs);
    if (files->unsynced) unsynced_free(files->unsynced);
    pthread_mutex_destroy(&files->lock);
    all[number] = NULL;
    sqlite3_free(files);
}

void faulty_fail(int number, int operation, int64_t n, int code, bool lasts, bool cut) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    files->operation = operation;
    files->remaining = n;
    files->code = code;
    files->lasts = lasts;
    files->cut = cut;
    files->failures = 0;
    pthread_mutex_unlock(&files->lock);
}

void faulty_mend(int number) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    files->remaining = 0;
    pthread_mutex_unlock(&files->lock);
}

int64_t faulty_failures(int number) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    int64_t count = files->failures;
    pthread_mutex_unlock(&files->lock);
    return count;
}

int64_t faulty_bytes_read(int number) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    int64_t count = files->bytes_read;
    pthread_mutex_unlock(&files->lock);
    return count;
}

void faulty_make_read_only(int number, bool is_read_only) { all[number]->is_read_only = is_read_only; }

void faulty_watch_power(int number) {
    if (!all[number]->unsynced) all[number]->unsynced = unsynced_make();
}

void faulty_lose_power(int number, int64_t n) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    if (n > 0) files->writes_until_power_loss = n; else files->has_power = false;
    pthread_mutex_unlock(&files->lock);
}

bool faulty_restore_power(int number, uint64_t seed, int percent_kept) {
    struct files *files = all[number];
    pthread_mutex_lock(&files->lock);
    bool is_done = unsynced_lose(files->unsynced, seed, percent_kept);
    files->has_power = true;
    files->writes_until_power_loss = 0;
    files->remaining = 0;
    pthread_mutex_unlock(&files->lock);
    return is_done;
}
