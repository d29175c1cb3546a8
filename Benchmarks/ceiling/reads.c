// SPDX-License-Identifier: Apache-2.0
//
// What is read: single rows, pages, pages with what belongs to them, and rows found over two relationships.

#include "ceiling.h"

#include <stdio.h>
#include <string.h>

#define POST_COLUMNS "t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZAUTHOR, t0.ZCONTENT, t0.ZCREATEDAT, t0.ZPUBLISHED, t0.ZTITLE, " \
    "t0.ZUPDATEDAT, t0.ZVIEWS"
#define FIRST_PAGE "SELECT " POST_COLUMNS " FROM ZPOST AS t0 ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK LIMIT ?"

static volatile uint64_t sum;

/// Takes all rows; the number of them.
static int drain(sqlite3_stmt *statement) {
    int rows = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        sum += consume(statement);
        rows++;
    }
    check(code);
    check(sqlite3_reset(statement));
    return rows;
}

void read_points(void) {
    long operations = option("operations"), posts = option("posts");
    sqlite3_stmt *select = prepare("SELECT " POST_COLUMNS " FROM ZPOST AS t0 WHERE t0.Z_PK = ?");
    start();
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        check(sqlite3_bind_int64(select, 1, spread(n, posts)));
        drain(select);
        record(seconds_now() - begun);
    }
    stop(operations);
}

void read_pages(void) {
    long operations = option("operations");
    sqlite3_stmt *select = prepare(FIRST_PAGE);
    check(sqlite3_bind_int(select, 1, page_size));
    start();
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        drain(select);
        record(seconds_now() - begun);
    }
    stop(operations);
}

/// A query over as many keys as a page has posts.
static sqlite3_stmt *prepare_over_page(const char *beginning) {
    char sql[1024];
    int length = snprintf(sql, sizeof sql, "%s IN (?", beginning);
    for (int place = 1; place < page_size; place++) length += snprintf(sql + length, sizeof sql - (size_t)length, ",?");
    snprintf(sql + length, sizeof sql - (size_t)length, ")");
    return prepare(sql);
}

static void bind_keys(sqlite3_stmt *statement, const int64_t *keys) {
    for (int place = 0; place < page_size; place++) check(sqlite3_bind_int64(statement, place + 1, keys[place]));
}

void read_includes(void) {
    long operations = option("operations");
    sqlite3_stmt *select = prepare(FIRST_PAGE);
    check(sqlite3_bind_int(select, 1, page_size));
    sqlite3_stmt *authors = prepare_over_page("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZORGANIZATION FROM ZUSER WHERE Z_PK");
    sqlite3_stmt *tags = prepare_over_page(
        "SELECT p." PAIR_POST ", t.Z_PK, t.Z_ENT, t.Z_OPT, t.ZNAME FROM " PAIRS " AS p"
        " JOIN ZTAG AS t ON t.Z_PK = p." PAIR_TAG " WHERE p." PAIR_POST
    );
    start();
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        int64_t post_keys[page_size] = {0}, author_keys[page_size] = {0};
        for (int place = 0; place < page_size && sqlite3_step(select) == SQLITE_ROW; place++) {
            post_keys[place] = sqlite3_column_int64(select, 0);
            author_keys[place] = sqlite3_column_int64(select, 3);
            sum += consume(select);
        }
        check(sqlite3_reset(select));
        bind_keys(authors, author_keys);
        drain(authors);
        bind_keys(tags, post_keys);
        drain(tags);
        record(seconds_now() - begun);
    }
    stop(operations);
}

void read_hops(void) {
    long operations = option("operations"), organizations = option("users") / 10;
    // The newest posts first, until there are enough: their organization's own are all over the table.
    sqlite3_stmt *select = prepare(
        "SELECT " POST_COLUMNS " FROM ZORGANIZATION AS o CROSS JOIN ZPOST AS t0 CROSS JOIN ZUSER AS u"
        " ON u.Z_PK = t0.ZAUTHOR AND u.ZORGANIZATION = o.Z_PK WHERE o.ZNAME = ?"
        " ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK LIMIT ?"
    );
    check(sqlite3_bind_int(select, 2, hop_page_size));
    start();
    for (long n = 0; n < operations; n++) {
        double begun = seconds_now();
        char name[64];
        int length = snprintf(name, sizeof name, "Organization %ld", (long)spread(n, organizations));
        check(sqlite3_bind_text(select, 1, name, length, SQLITE_TRANSIENT));
        drain(select);
        record(seconds_now() - begun);
    }
    stop(operations);
}
