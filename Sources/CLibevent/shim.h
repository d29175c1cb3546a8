// SPDX-License-Identifier: Apache-2.0

// What of libevent the module has, and of the system what Swift's own module of it lacks.

#ifndef OUTCROP_CLIBEVENT_SHIM_H
#define OUTCROP_CLIBEVENT_SHIM_H

// First, since libevent's headers define _GNU_SOURCE, which makes another fd_set of it than the one that other modules see.
#include <sys/select.h>

#include <event2/event.h>

#include <stdint.h>
#include <sys/eventfd.h>

// Declared here, since their own headers have been read without _GNU_SOURCE by then.
extern int accept4(int descriptor, struct sockaddr *address, uint32_t *length, int flags);
extern int malloc_trim(unsigned long pad);
extern int mallopt(int parameter, int value);
extern int pthread_setname_np(unsigned long thread, const char *name);

/// What mallopt() takes for the sizes beyond which the free end of a heap, and a block, go back to the system when they are freed.
static const int outcrop_malloc_trim_threshold = -1;
static const int outcrop_malloc_mmap_threshold = -3;

/// What poll() says of a connection whose other side sends nothing more.
static const short outcrop_poll_other_side_ended = 0x2000;

#endif
