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

// Has the log and its index stay when a connection is closed, even if it is the last one.
static inline int csqlite_keep_log(sqlite3 *connection) {
    int keeps = 1;
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps);
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
