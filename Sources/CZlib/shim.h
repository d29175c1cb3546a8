// SPDX-License-Identifier: Apache-2.0

// What of zlib the module has, with the macros that Swift can't import as functions.

#ifndef OUTCROP_CZLIB_SHIM_H
#define OUTCROP_CZLIB_SHIM_H

#include <zlib.h>

static inline int outcrop_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

static inline int outcrop_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
