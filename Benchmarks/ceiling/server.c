// SPDX-License-Identifier: Apache-2.0
//
// Answers as the server does, by plain C on evhttp, until it is ended. Its routes:
//
//     /canned         a post that was written out once
//     /unchanged      304
//     /post/N         a post
//     /page           the first 50 posts by date
//     /include        the same with their authors and tags
//     /hop/N          the first 20 posts of an organization's users

#define _GNU_SOURCE

#include "ceiling.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POST_COLUMNS "t0.Z_PK, t0.Z_OPT, t0.ZAUTHOR, t0.ZCONTENT, t0.ZCREATEDAT, t0.ZPUBLISHED, t0.ZTITLE, " \
    "t0.ZUPDATEDAT, t0.ZVIEWS"
#define FIRST_PAGE "SELECT " POST_COLUMNS " FROM ZPOST AS t0 ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK LIMIT 50"

static sqlite3_stmt *point, *page, *authors, *tags, *hop;

// MARK: JSON

static struct {
    char *bytes;
    size_t length, room;
} answer;

static char *room_for(size_t count) {
    if (answer.length + count > answer.room) {
        answer.room = (answer.length + count) * 2;
        answer.bytes = realloc(answer.bytes, answer.room);
        if (!answer.bytes) abort();
    }
    return answer.bytes + answer.length;
}

static void put_bytes(const char *bytes, size_t count) {
    memcpy(room_for(count), bytes, count);
    answer.length += count;
}

#define put(literal) put_bytes(literal, sizeof(literal) - 1)

static void put_number(int64_t number) {
    char digits[24];
    size_t place = sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do digits[--place] = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0) digits[--place] = '-';
    put_bytes(digits + place, sizeof digits - place);
}

static void put_text(const unsigned char *text, size_t length) {
    char *end = room_for(length * 6 + 2), *start = end;
    *end++ = '"';
    for (size_t place = 0; place < length; place++) {
        unsigned char byte = text[place];
        if (byte == '"' || byte == '\\') *end++ = '\\';
        if (byte >= 0x20) *end++ = (char)byte;
        else end += sprintf(end, "\\u%04x", byte);
    }
    *end++ = '"';
    answer.length += (size_t)(end - start);
}

static void put_column(sqlite3_stmt *row, int column) {
    put_text(sqlite3_column_text(row, column), (size_t)sqlite3_column_bytes(row, column));
}

/// A date as seconds since 2001.
static void put_date(double date) {
    time_t seconds = (time_t)date + 978307200;
    struct tm parts;
    gmtime_r(&seconds, &parts);
    const int numbers[] = {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
        parts.tm_sec};
    char text[] = "\"0000-00-00T00:00:00Z\"";
    const int places[] = {4, 7, 10, 13, 16, 19};
    for (int part = 0; part < 6; part++) {
        int left = numbers[part];
        for (int place = places[part]; left; left /= 10) text[place--] = (char)('0' + left % 10);
    }
    put_bytes(text, sizeof text - 1);
}

/// A post but its end, which says who has written it.
static void put_post(sqlite3_stmt *row) {
    put("{\"_id\":\"Post/");
    put_number(sqlite3_column_int64(row, 0));
    put("\",\"_entity\":\"Post\",\"_version\":");
    put_number(sqlite3_column_int64(row, 1));
    put(",\"content\":");
    put_column(row, 3);
    put(",\"createdAt\":");
    put_date(sqlite3_column_double(row, 4));
    put(",\"published\":");
    if (sqlite3_column_int(row, 5)) put("true");
    else put("false");
    put(",\"title\":");
    put_column(row, 6);
    put(",\"updatedAt\":");
    put_date(sqlite3_column_double(row, 7));
    put(",\"views\":");
    put_number(sqlite3_column_int64(row, 8));
}

static void put_whole_post(sqlite3_stmt *row) {
    put_post(row);
    put(",\"author\":\"User/");
    put_number(sqlite3_column_int64(row, 2));
    put("\"}");
}

static void put_page(sqlite3_stmt *statement) {
    put("{\"items\":[");
    for (int rows = 0; sqlite3_step(statement) == SQLITE_ROW; rows++) {
        if (rows) put(",");
        put_whole_post(statement);
    }
    check(sqlite3_reset(statement));
    put("]}");
}

/// What was written so far is kept as the piece of a page that belongs to a key.
struct piece {
    int64_t key;
    size_t start, length;
};

static struct piece written_since(size_t start, int64_t key) {
    return (struct piece){.key = key, .start = start, .length = answer.length - start};
}

static void put_piece(const char *bytes, struct piece piece) { put_bytes(bytes + piece.start, piece.length); }

enum { tag_limit = 4096 };

static void put_includes(void) {
    static char *scratch;
    struct piece posts[page_size], users[page_size], pairs[tag_limit];
    int64_t keys[page_size] = {0}, author_keys[page_size] = {0};
    int count = 0, user_count = 0, pair_count = 0;
    for (; count < page_size && sqlite3_step(page) == SQLITE_ROW; count++) {
        size_t start = answer.length;
        put_post(page);
        keys[count] = sqlite3_column_int64(page, 0);
        author_keys[count] = sqlite3_column_int64(page, 2);
        posts[count] = written_since(start, keys[count]);
    }
    check(sqlite3_reset(page));
    for (int place = 0; place < page_size; place++) {
        check(sqlite3_bind_int64(authors, place + 1, author_keys[place]));
        check(sqlite3_bind_int64(tags, place + 1, keys[place]));
    }
    for (; user_count < page_size && sqlite3_step(authors) == SQLITE_ROW; user_count++) {
        size_t start = answer.length;
        put("{\"_id\":\"User/");
        put_number(sqlite3_column_int64(authors, 0));
        put("\",\"_entity\":\"User\",\"_version\":");
        put_number(sqlite3_column_int64(authors, 1));
        put(",\"name\":");
        put_column(authors, 2);
        put(",\"organization\":\"Organization/");
        put_number(sqlite3_column_int64(authors, 3));
        put("\"}");
        users[user_count] = written_since(start, sqlite3_column_int64(authors, 0));
    }
    check(sqlite3_reset(authors));
    for (; pair_count < tag_limit && sqlite3_step(tags) == SQLITE_ROW; pair_count++) {
        size_t start = answer.length;
        put("{\"_id\":\"Tag/");
        put_number(sqlite3_column_int64(tags, 1));
        put("\",\"_entity\":\"Tag\",\"_version\":");
        put_number(sqlite3_column_int64(tags, 2));
        put(",\"name\":");
        put_column(tags, 3);
        put("}");
        pairs[pair_count] = written_since(start, sqlite3_column_int64(tags, 0));
    }
    check(sqlite3_reset(tags));
    scratch = realloc(scratch, answer.length);
    if (!scratch) abort();
    memcpy(scratch, answer.bytes, answer.length);
    answer.length = 0;
    put("{\"items\":[");
    for (int place = 0; place < count; place++) {
        if (place) put(",");
        put_piece(scratch, posts[place]);
        put(",\"author\":");
        for (int user = 0; user < user_count; user++) {
            if (users[user].key == author_keys[place]) put_piece(scratch, users[user]);
        }
        put(",\"tags\":[");
        for (int pair = 0, found = 0; pair < pair_count; pair++) {
            if (pairs[pair].key != keys[place]) continue;
            if (found++) put(",");
            put_piece(scratch, pairs[pair]);
        }
        put("]}");
    }
    put("]}");
}

// MARK: Routes

static void reply(struct evhttp_request *request, const char *bytes, size_t length) {
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Type", "application/json");
    evhttp_add_header(headers, "ETag", "\"1\"");
    struct evbuffer *body = evbuffer_new();
    evbuffer_add(body, bytes, length);
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

static char *canned;
static size_t canned_length;

static void put_point(int64_t key) {
    check(sqlite3_bind_int64(point, 1, key));
    if (sqlite3_step(point) == SQLITE_ROW) put_whole_post(point);
    check(sqlite3_reset(point));
}

static void answer_request(struct evhttp_request *request, void *unused) {
    (void)unused;
    const char *path = evhttp_request_get_uri(request);
    if (strcmp(path, "/canned") == 0) return reply(request, canned, canned_length);
    if (strcmp(path, "/unchanged") == 0) {
        evhttp_add_header(evhttp_request_get_output_headers(request), "ETag", "\"1\"");
        return evhttp_send_reply(request, 304, "Not Modified", NULL);
    }
    answer.length = 0;
    if (strncmp(path, "/post/", 6) == 0) {
        put_point(atol(path + 6));
    } else if (strcmp(path, "/page") == 0) {
        put_page(page);
    } else if (strcmp(path, "/include") == 0) {
        put_includes();
    } else if (strncmp(path, "/hop/", 5) == 0) {
        char name[64];
        int length = snprintf(name, sizeof name, "Organization %ld", atol(path + 5));
        check(sqlite3_bind_text(hop, 1, name, length, SQLITE_TRANSIENT));
        put_page(hop);
    } else {
        return evhttp_send_error(request, 404, NULL);
    }
    reply(request, answer.bytes, answer.length);
}

static void prepare_all(void) {
    char places[page_size * 2], sql[1024];
    for (int place = 0; place < page_size; place++) memcpy(places + place * 2, "?,", 2);
    places[sizeof places - 1] = 0;
    point = prepare("SELECT " POST_COLUMNS " FROM ZPOST AS t0 WHERE t0.Z_PK = ?");
    page = prepare(FIRST_PAGE);
    snprintf(sql, sizeof sql, "SELECT Z_PK, Z_OPT, ZNAME, ZORGANIZATION FROM ZUSER WHERE Z_PK IN (%s)", places);
    authors = prepare(sql);
    snprintf(
        sql, sizeof sql,
        "SELECT p." PAIR_POST ", t.Z_PK, t.Z_OPT, t.ZNAME FROM " PAIRS " AS p"
        " JOIN ZTAG AS t ON t.Z_PK = p." PAIR_TAG " WHERE p." PAIR_POST " IN (%s)",
        places
    );
    tags = prepare(sql);
    hop = prepare(
        "SELECT " POST_COLUMNS " FROM ZORGANIZATION AS o CROSS JOIN ZPOST AS t0 CROSS JOIN ZUSER AS u"
        " ON u.Z_PK = t0.ZAUTHOR AND u.ZORGANIZATION = o.Z_PK WHERE o.ZNAME = ?"
        " ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK LIMIT 20"
    );
}

void serve(void) {
    // Clients that go away are no reason to end.
    signal(SIGPIPE, SIG_IGN);
    prepare_all();
    put_point(1);
    canned_length = answer.length;
    canned = malloc(canned_length);
    if (!canned) abort();
    memcpy(canned, answer.bytes, canned_length);
    struct event_base *base = event_base_new();
    struct evhttp *server = evhttp_new(base);
    evhttp_set_gencb(server, answer_request, NULL);
    struct evhttp_bound_socket *socket = evhttp_bind_socket_with_handle(server, "127.0.0.1", (uint16_t)option("port"));
    if (!socket) {
        fprintf(stderr, "ceiling: can't listen on port %ld\n", option("port"));
        exit(1);
    }
    // Connections take it over. Without it long answers wait for the client's acknowledgements.
    int on = 1;
    setsockopt(evhttp_bound_socket_get_fd(socket), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    event_base_dispatch(base);
}
