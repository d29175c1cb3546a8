// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the ceiling share: plain C on SQLite's API, which does what the store does and nothing else.

#ifndef CEILING_H
#define CEILING_H

#include <sqlite3.h>
#include <stdint.h>

enum { page_size = 50, hop_page_size = 20 };

/// The table of pairs of posts and tags, as the store names it.
#define PAIRS "Z_3TAGS"
#define PAIR_POST "Z_3POSTS"
#define PAIR_TAG "Z_4TAGS"

/// The columns of a post but its key, entity and version.
#define POST_VALUES "ZAUTHOR, ZCONTENT, ZCREATEDAT, ZPUBLISHED, ZTITLE, ZUPDATEDAT, ZVIEWS"

extern sqlite3 *database;

// Arguments, as name=value.
long option(const char *name);

// SQLite, where every failure ends the program.
void check(int code);
void run(const char *sql);
sqlite3_stmt *prepare(const char *sql);
void step(sqlite3_stmt *statement);
int64_t number_of(const char *entity);
void reserve(const char *entity, int64_t keys);

// Measuring.
double seconds_now(void);
void start(void);
void record(double seconds);
void stop(long operations);

// A post, and where the n-th operation goes.
void bind_post(sqlite3_stmt *insert, int64_t key, int64_t entity, int64_t number, int64_t author);
int64_t spread(int64_t n, int64_t count);
uint64_t consume(sqlite3_stmt *row);
const char *content_of(long characters);

// What can be asked for.
void seed(void);
void insert_posts(void);
void update_posts(void);
void batch_insert(void);
void batch_update(void);
void batch_delete(void);
void cascade(void);
void select_and_update(void);
void read_points(void);
void read_pages(void);
void read_includes(void);
void read_hops(void);
void serve(void);

#endif
