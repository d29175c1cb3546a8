// SPDX-License-Identifier: Apache-2.0
//
// Fills an empty store with a world of so many users, posts, comments and tags.

#include "ceiling.h"

#include <stdio.h>

static void named(const char *entity, const char *sql, long count, long owners) {
    sqlite3_stmt *insert = prepare(sql);
    int64_t number = number_of(entity);
    for (long key = 1; key <= count; key++) {
        char name[64];
        int length = snprintf(name, sizeof name, "%s %ld", entity, key);
        check(sqlite3_bind_int64(insert, 1, key));
        check(sqlite3_bind_int64(insert, 2, number));
        check(sqlite3_bind_text(insert, 3, name, length, SQLITE_TRANSIENT));
        if (owners) check(sqlite3_bind_int64(insert, 4, 1 + key % owners));
        step(insert);
    }
    sqlite3_finalize(insert);
    reserve(entity, count);
}

static void posts(long count, long users) {
    sqlite3_stmt *insert = prepare(
        "INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, " POST_VALUES ") VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)"
    );
    int64_t number = number_of("Post");
    for (long key = 1; key <= count; key++) {
        bind_post(insert, key, number, key, 1 + key % users);
        step(insert);
    }
    sqlite3_finalize(insert);
    reserve("Post", count);
}

static void comments(long count, long posts, long users) {
    sqlite3_stmt *insert = prepare(
        "INSERT INTO ZCOMMENT (Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZPOST, ZCREATEDAT, ZTEXT) VALUES (?, ?, 1, ?, ?, ?, ?)"
    );
    int64_t number = number_of("Comment");
    for (long key = 1; key <= count; key++) {
        check(sqlite3_bind_int64(insert, 1, key));
        check(sqlite3_bind_int64(insert, 2, number));
        check(sqlite3_bind_int64(insert, 3, spread(key, users)));
        check(sqlite3_bind_int64(insert, 4, spread(key, posts)));
        check(sqlite3_bind_double(insert, 5, 710000000.0 + (double)key));
        check(sqlite3_bind_text(insert, 6, "I have read this, and think the same.", -1, SQLITE_STATIC));
        step(insert);
    }
    sqlite3_finalize(insert);
    reserve("Comment", count);
}

/// Two tags for each post.
static void pairs(long posts, long tags) {
    sqlite3_stmt *insert = prepare("INSERT INTO " PAIRS " (" PAIR_POST ", " PAIR_TAG ") VALUES (?, ?)");
    for (long post = 1; post <= posts; post++) {
        for (long place = 0; place < 2; place++) {
            check(sqlite3_bind_int64(insert, 1, post));
            check(sqlite3_bind_int64(insert, 2, 1 + (post * 3 + place) % tags));
            step(insert);
        }
    }
    sqlite3_finalize(insert);
}

void seed(void) {
    long users = option("users"), count = option("posts"), tags = option("tags"), organizations = users / 10;
    // Nobody reads it yet, and it can be made again.
    run("PRAGMA synchronous = off");
    run("PRAGMA cache_size = -524288");
    run("BEGIN IMMEDIATE");
    if (organizations == 0) organizations = 1;
    named(
        "Organization", "INSERT INTO ZORGANIZATION (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, ?, 1, ?)", organizations, 0
    );
    named(
        "User", "INSERT INTO ZUSER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZORGANIZATION) VALUES (?, ?, 1, ?, ?)", users,
        organizations
    );
    named("Tag", "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, ?, 1, ?)", tags, 0);
    // A user beside them who has written nothing has the last key.
    posts(count, users > 1 ? users - 1 : users);
    comments(option("comments"), count, users);
    if (tags) pairs(count, tags);
    run("COMMIT");
    run("PRAGMA wal_checkpoint(truncate)");
}
