// SPDX-License-Identifier: Apache-2.0

// The files of the web console, embedded in the program.

#ifndef OUTCROP_CONSOLE_H
#define OUTCROP_CONSOLE_H

#include <stddef.h>

/// A file of the folder Console.
struct outcrop_console_file {
    /// The path within the folder, with “/” between names.
    const char *path;
    const unsigned char *bytes;
    size_t length;
};

/// The number of files.
size_t outcrop_console_file_count(void);

/// The file at an index, ordered by path.
struct outcrop_console_file outcrop_console_file_at(size_t index);

#endif
