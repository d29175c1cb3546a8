// SPDX-License-Identifier: Apache-2.0
//
// ceiling WORKLOAD FILE [NAME=VALUE]…: does a workload on a store's file and says how long it took.

#include "ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sqlite3 *database;

static int argument_count;
static char **arguments;

long option(const char *name) {
    size_t length = strlen(name);
    for (int place = 3; place < argument_count; place++) {
        if (strncmp(arguments[place], name, length) == 0 && arguments[place][length] == '=') {
            return strtol(arguments[place] + length + 1, NULL, 10);
        }
    }
    fprintf(stderr, "ceiling: no %s\n", name);
    exit(2);
}

/// The pragmas of the store's writer, and of its readers.
static void open_database(const char *path) {
    check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    run("PRAGMA journal_mode = wal");
    run(option("durable") ? "PRAGMA synchronous = full" : "PRAGMA synchronous = normal");
    run("PRAGMA wal_autocheckpoint = 1000");
    run("PRAGMA foreign_keys = 0");
    run("PRAGMA cache_size = -8192");
    run("PRAGMA mmap_size = 0");
}

static const struct {
    const char *name;
    void (*work)(void);
} workloads[] = {
    {"seed", seed},
    {"insert", insert_posts},
    {"update", update_posts},
    {"batch-insert", batch_insert},
    {"batch-update", batch_update},
    {"batch-delete", batch_delete},
    {"cascade", cascade},
    {"engine", select_and_update},
    {"point", read_points},
    {"page", read_pages},
    {"include", read_includes},
    {"hop", read_hops},
    {"serve", serve},
};

int main(int count, char **values) {
    argument_count = count;
    arguments = values;
    for (size_t place = 0; count > 2 && place < sizeof workloads / sizeof *workloads; place++) {
        if (strcmp(values[1], workloads[place].name) != 0) continue;
        open_database(values[2]);
        workloads[place].work();
        return 0;
    }
    fprintf(stderr, "usage: ceiling WORKLOAD FILE [NAME=VALUE]...\n");
    return 2;
}
