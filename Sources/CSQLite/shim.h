// SPDX-License-Identifier: Apache-2.0

// SQLite, and what of it Swift can't call: macros that cast, and functions with variable arguments. A null pointer would mean
// NULL; to Swift it is that of nothing at all.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 size) {
    return sqlite3_bind_text64(statement, index, text ? text : "", size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 size) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", size, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text(sqlite3_context *context, const char *text, sqlite3_uint64 size) {
    sqlite3_result_text64(context, text ? text : "", size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 size) {
    sqlite3_result_blob64(context, bytes ? bytes : "", size, SQLITE_TRANSIENT);
}

// Turns a switch of a connection on or off (SQLITE_DBCONFIG_...).
static inline int csqlite_switch(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// Has the log stay when a connection is closed, even if it is the last one, which writes it back into the file.
static inline int csqlite_keep_log(sqlite3 *connection) {
    int keeps = 1;
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps);
}

// Has a connection neither write the log back nor remove it when it is closed, even if it is the last one.
static inline int csqlite_leave_log(sqlite3 *connection) {
    return csqlite_switch(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
}

// The start of the index of a log that a connection has read; null where there is none. It is there for as long as the connection.
static inline const void *csqlite_log_index(sqlite3 *connection) {
    sqlite3_file *file = 0;
    void volatile *index = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (file->pMethods->xShmMap(file, 0, 32 * 1024, 0, &index) != SQLITE_OK) return 0;
    return (const void *)index;
}

// What the index of a log says of checkpoints. SQLite documents its format: https://www.sqlite.org/walformat.html
typedef struct {
    // Others with each restart of the log.
    unsigned salts[2];
    // How many of the log's frames have been written back into the file.
    unsigned written;
    // How many were to be, before the first of them was.
    unsigned attempted;
} csqlite_checkpoints;

// The salts are read last: a log that restarts has its salts first, and then no frames.
static inline csqlite_checkpoints csqlite_read_checkpoints(const void *index) {
    const unsigned *words = (const unsigned *)index;
    csqlite_checkpoints checkpoints;
    checkpoints.attempted = __atomic_load_n(words + 32, __ATOMIC_SEQ_CST);
    checkpoints.written = __atomic_load_n(words + 24, __ATOMIC_SEQ_CST);
    checkpoints.salts[0] = __atomic_load_n(words + 8, __ATOMIC_SEQ_CST);
    checkpoints.salts[1] = __atomic_load_n(words + 9, __ATOMIC_SEQ_CST);
    return checkpoints;
}

// How many transactions have been committed to the log since its index was made: it changes with each.
static inline unsigned csqlite_read_commit_count(const void *index) {
    return __atomic_load_n((const unsigned *)index + 2, __ATOMIC_SEQ_CST);
}

// Reads the first bytes of a connection's file, as many as there are of them, by the descriptor that SQLite has of it, without
// locking it.
static inline int csqlite_read_head(sqlite3 *connection, void *bytes, int capacity, int *count) {
    sqlite3_file *file = 0;
    sqlite3_int64 size = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    result = file->pMethods->xFileSize(file, &size);
    if (result != SQLITE_OK) return result;
    *count = size < capacity ? (int)size : capacity;
    if (*count > 0) return file->pMethods->xRead(file, bytes, *count, 0);
    // SQLite says of a file of one byte that it has none.
    if (capacity > 0) result = file->pMethods->xRead(file, bytes, 1, 0);
    if (result == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    *count = result == SQLITE_OK && capacity > 0 ? 1 : 0;
    return result;
}

#endif
