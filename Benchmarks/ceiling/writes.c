// SPDX-License-Identifier: Apache-2.0
//
// What is written: row by row with a transaction each, many rows in one, and in sets.

#include "ceiling.h"

#include <stdio.h>
#include <stdlib.h>

#define INSERT_POST "INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, " POST_VALUES ") VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)"

/// A transaction for each post.
void insert_posts(void) {
    long operations = option("operations"), users = option("users"), first = option("posts") + 1;
    sqlite3_stmt *insert = prepare(INSERT_POST);
    int64_t entity = number_of("Post");
    start();
    reserve("Post", operations);
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        bind_post(insert, first + n, entity, first + n, spread(n, users));
        step(insert);
        record(seconds_now() - begun);
    }
    stop(operations);
}

/// A transaction for each change of a title, of the version that is expected.
void update_posts(void) {
    long operations = option("operations"), posts = option("posts");
    sqlite3_stmt *update = prepare("UPDATE ZPOST SET ZTITLE = ?, Z_OPT = 2 WHERE Z_PK = ? AND Z_OPT = 1");
    start();
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        char title[64];
        int length = snprintf(title, sizeof title, "Post %ld, with another title", n);
        check(sqlite3_bind_text(update, 1, title, length, SQLITE_TRANSIENT));
        check(sqlite3_bind_int64(update, 2, spread(n, posts)));
        step(update);
        if (sqlite3_changes(database) != 1) abort();
        record(seconds_now() - begun);
    }
    stop(operations);
}

void batch_insert(void) {
    long operations = option("operations"), users = option("users"), first = option("posts") + 1;
    sqlite3_stmt *insert = prepare(INSERT_POST);
    int64_t entity = number_of("Post");
    start();
    run("BEGIN IMMEDIATE");
    reserve("Post", operations);
    for (long n = 0; n < operations; n++) {
        bind_post(insert, first + n, entity, first + n, spread(n, users));
        step(insert);
    }
    run("COMMIT");
    stop(operations);
}

void batch_update(void) {
    start();
    run("UPDATE ZPOST SET ZVIEWS = ZVIEWS + 1, Z_OPT = Z_OPT + 1 WHERE ZVIEWS >= 0");
    stop(sqlite3_changes(database));
}

/// Of comments, whose deletion takes nothing along.
void batch_delete(void) {
    start();
    run("DELETE FROM ZCOMMENT WHERE ZCREATEDAT >= 710000000");
    stop(sqlite3_changes(database));
}

#define USERS_GOING "(SELECT Z_PK FROM ZUSER WHERE ZORGANIZATION <= 100)"
#define POSTS_GOING "(SELECT Z_PK FROM ZPOST WHERE ZAUTHOR IN " USERS_GOING ")"

/// A hundred organizations, and whatever is theirs.
void cascade(void) {
    int before = sqlite3_total_changes(database);
    start();
    run("BEGIN IMMEDIATE; DELETE FROM " PAIRS " WHERE " PAIR_POST " IN " POSTS_GOING);
    int pairs = sqlite3_changes(database);
    run("DELETE FROM ZCOMMENT WHERE ZPOST IN " POSTS_GOING ";"
        "DELETE FROM ZCOMMENT WHERE ZAUTHOR IN " USERS_GOING ";"
        "DELETE FROM ZPOST WHERE ZAUTHOR IN " USERS_GOING ";"
        "DELETE FROM ZUSER WHERE ZORGANIZATION <= 100;"
        "DELETE FROM ZORGANIZATION WHERE Z_PK <= 100;"
        "COMMIT");
    // Pairs are no objects.
    stop(sqlite3_total_changes(database) - before - pairs);
}

/// All posts, looked at and given another number of views one by one.
void select_and_update(void) {
    long operations = option("posts");
    int64_t *keys = malloc((size_t)operations * sizeof *keys), *versions = malloc((size_t)operations * sizeof *versions);
    if (!keys || !versions) abort();
    sqlite3_stmt *select = prepare("SELECT Z_PK, Z_ENT, Z_OPT, " POST_VALUES " FROM ZPOST ORDER BY Z_PK");
    sqlite3_stmt *update = prepare("UPDATE ZPOST SET ZVIEWS = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
    volatile uint64_t sum = 0;
    long count = 0;
    start();
    while (count < operations && sqlite3_step(select) == SQLITE_ROW) {
        keys[count] = sqlite3_column_int64(select, 0);
        versions[count++] = sqlite3_column_int64(select, 2);
        sum += consume(select);
    }
    check(sqlite3_reset(select));
    run("BEGIN IMMEDIATE");
    for (long n = 0; n < count; n++) {
        check(sqlite3_bind_int64(update, 1, 5000 + n));
        check(sqlite3_bind_int64(update, 2, versions[n] + 1));
        check(sqlite3_bind_int64(update, 3, keys[n]));
        check(sqlite3_bind_int64(update, 4, versions[n]));
        step(update);
    }
    run("COMMIT");
    stop(count);
}
