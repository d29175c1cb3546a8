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

#endif
