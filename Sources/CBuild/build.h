// SPDX-License-Identifier: Apache-2.0

// What is known only when the program is built. Package.swift defines it from the environment; without it, it is empty.

#ifndef OUTCROP_CBUILD_BUILD_H
#define OUTCROP_CBUILD_BUILD_H

#ifndef OUTCROP_COMMIT
#define OUTCROP_COMMIT ""
#endif

static inline const char *outcrop_commit(void) { return OUTCROP_COMMIT; }

#endif
