// SPDX-License-Identifier: Apache-2.0
//
// What the C library knows of its heap; Swift doesn't see this header of its.

#include <malloc.h>
#include <stddef.h>

/// The bytes that are handed out at present.
static inline size_t allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
