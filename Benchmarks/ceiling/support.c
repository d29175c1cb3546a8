// SPDX-License-Identifier: Apache-2.0
//
// Calls to SQLite that end the program where they fail, and measuring.

#define _GNU_SOURCE

#include "ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "ceiling: %s\n", sqlite3_errmsg(database));
    exit(1);
}

void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL)); }

sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

void step(sqlite3_stmt *statement) {
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
}

int64_t number_of(const char *entity) {
    sqlite3_stmt *query = prepare("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?");
    check(sqlite3_bind_text(query, 1, entity, -1, SQLITE_STATIC));
    check(sqlite3_step(query));
    int64_t number = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return number;
}

void reserve(const char *entity, int64_t keys) {
    sqlite3_stmt *update = prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_NAME = ?");
    check(sqlite3_bind_int64(update, 1, keys));
    check(sqlite3_bind_text(update, 2, entity, -1, SQLITE_STATIC));
    step(update);
    sqlite3_finalize(update);
}

// MARK: Measuring

static double started, cpu_started;
static long idle;
static double *times;
static size_t time_count, time_room;

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double seconds_now(void) { return seconds_of(CLOCK_MONOTONIC); }

static double cpu_now(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/// A figure of the kernel's about this process, in KiB.
static long memory(const char *name) {
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) value = strtol(line + strlen(name) + 1, NULL, 10);
    }
    if (file) fclose(file);
    return value;
}

void start(void) {
    idle = memory("VmRSS");
    // The peak is to be that of the workload.
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    cpu_started = cpu_now();
    started = seconds_now();
}

void record(double seconds) {
    if (time_count == time_room) {
        time_room = time_room ? time_room * 2 : 1024;
        times = realloc(times, time_room * sizeof *times);
        if (!times) abort();
    }
    times[time_count++] = seconds;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

void stop(long operations) {
    double seconds = seconds_now() - started;
    double cpu = cpu_now() - cpu_started;
    printf("operations=%ld seconds=%.9f cpu=%.6f idle=%ld peak=%ld", operations, seconds, cpu, idle, memory("VmHWM"));
    if (time_count) {
        qsort(times, time_count, sizeof *times, ascending);
        printf(" p50=%.9f p99=%.9f", times[time_count / 2], times[time_count * 99 / 100]);
    }
    printf("\n");
}

// MARK: The world

int64_t spread(int64_t n, int64_t count) { return 1 + n * 7919 % count; }

const char *content_of(long characters) {
    static const char sentence[] = "Whoever writes a post has something to say, and says it in as many words as it takes. ";
    char *content = malloc((size_t)characters + 1);
    if (!content) abort();
    for (long place = 0; place < characters; place++) content[place] = sentence[place % (long)(sizeof sentence - 1)];
    content[characters] = 0;
    return content;
}

void bind_post(sqlite3_stmt *insert, int64_t key, int64_t entity, int64_t number, int64_t author) {
    static const char *content;
    static long length;
    if (!content) {
        length = option("content");
        content = content_of(length);
    }
    char title[64];
    int title_length = snprintf(title, sizeof title, "Post %ld, and what it is about", (long)number);
    check(sqlite3_bind_int64(insert, 1, key));
    check(sqlite3_bind_int64(insert, 2, entity));
    check(sqlite3_bind_int64(insert, 3, author));
    check(sqlite3_bind_text(insert, 4, content, (int)length, SQLITE_STATIC));
    check(sqlite3_bind_double(insert, 5, 700000000.0 + (double)number));
    check(sqlite3_bind_int64(insert, 6, number % 10 != 0));
    check(sqlite3_bind_text(insert, 7, title, title_length, SQLITE_TRANSIENT));
    check(sqlite3_bind_double(insert, 8, 700003600.0 + (double)number));
    check(sqlite3_bind_int64(insert, 9, number * 31 % 1000));
}

/// Takes all columns of a row out of SQLite, as whoever answers with them does.
uint64_t consume(sqlite3_stmt *row) {
    static char bytes[1024];
    uint64_t sum = 0;
    for (int column = 0; column < sqlite3_column_count(row); column++) {
        switch (sqlite3_column_type(row, column)) {
        case SQLITE_INTEGER: sum += (uint64_t)sqlite3_column_int64(row, column); break;
        case SQLITE_FLOAT: sum += (uint64_t)sqlite3_column_double(row, column); break;
        case SQLITE_TEXT: {
            const unsigned char *text = sqlite3_column_text(row, column);
            size_t length = (size_t)sqlite3_column_bytes(row, column);
            memcpy(bytes, text, length < sizeof bytes ? length : sizeof bytes);
            sum += (unsigned char)bytes[0];
            break;
        }
        default: break;
        }
    }
    return sum;
}
