// SPDX-License-Identifier: Apache-2.0

// What of libevent the module has.

#ifndef OUTCROP_CLIBEVENT_SHIM_H
#define OUTCROP_CLIBEVENT_SHIM_H

// First, since libevent's headers define _GNU_SOURCE, which makes another fd_set of it than the one that other modules see.
#include <sys/select.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/thread.h>

#endif
