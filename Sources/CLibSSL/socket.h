// SPDX-License-Identifier: Apache-2.0

// Reading and writing of sockets by OpenSSL. Its own way raises SIGPIPE if the other side is gone, and can't say that more is to
// be sent.

#ifndef OUTCROP_CLIBSSL_SOCKET_H
#define OUTCROP_CLIBSSL_SOCKET_H

#include <errno.h>
#include <openssl/bio.h>
#include <stdint.h>
#include <sys/socket.h>

// The descriptor, which belongs to the caller, and whether more is to be sent.
static inline void outcrop_socket_set(BIO *bio, int descriptor, int is_more_coming) {
    BIO_set_data(bio, (void *)((intptr_t)descriptor * 2 + (is_more_coming != 0)));
}

static inline int outcrop_socket_is_transient(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static inline int outcrop_socket_write(BIO *bio, const char *bytes, int count) {
    intptr_t data = (intptr_t)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    int sent = (int)send((int)(data / 2), bytes, (size_t)count, MSG_NOSIGNAL | (data & 1 ? MSG_MORE : 0));
    if (sent < 0 && outcrop_socket_is_transient()) BIO_set_retry_write(bio);
    return sent;
}

static inline int outcrop_socket_read(BIO *bio, char *bytes, int count) {
    BIO_clear_retry_flags(bio);
    int received = (int)recv((int)((intptr_t)BIO_get_data(bio) / 2), bytes, (size_t)count, 0);
    if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (received < 0 && outcrop_socket_is_transient()) BIO_set_retry_read(bio);
    return received;
}

static inline long outcrop_socket_control(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    default: return 0;
    }
}

static inline int outcrop_socket_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static inline BIO_METHOD *outcrop_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (!method) return NULL;
    BIO_meth_set_create(method, outcrop_socket_create);
    BIO_meth_set_write(method, outcrop_socket_write);
    BIO_meth_set_read(method, outcrop_socket_read);
    BIO_meth_set_ctrl(method, outcrop_socket_control);
    return method;
}

#endif
