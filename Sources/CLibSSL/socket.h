// SPDX-License-Identifier: Apache-2.0

// Reading and writing of sockets by OpenSSL. Its own way raises SIGPIPE if the other side is gone, and can't say that more is to
// be sent.

#ifndef OUTCROP_CLIBSSL_SOCKET_H
#define OUTCROP_CLIBSSL_SOCKET_H

#include <errno.h>
#include <openssl/bio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct outcrop_socket {
    // Belongs to the caller.
    int descriptor;
    // Whether more is to be sent.
    int is_more_coming;
    // How many bytes reads may still receive. Otherwise a peer that sends messages without data faster than they are handled would keep
    // the thread in one call.
    long allowance;
};

static inline void outcrop_socket_set(BIO *bio, int descriptor, int is_more_coming) {
    struct outcrop_socket *socket = (struct outcrop_socket *)BIO_get_data(bio);
    socket->descriptor = descriptor;
    socket->is_more_coming = is_more_coming;
}

static inline void outcrop_socket_allow(BIO *bio, long bytes) {
    ((struct outcrop_socket *)BIO_get_data(bio))->allowance = bytes;
}

static inline int outcrop_socket_is_transient(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static inline int outcrop_socket_write(BIO *bio, const char *bytes, int count) {
    struct outcrop_socket *socket = (struct outcrop_socket *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    int flags = MSG_NOSIGNAL | (socket->is_more_coming ? MSG_MORE : 0);
    int sent = (int)send(socket->descriptor, bytes, (size_t)count, flags);
    if (sent < 0 && outcrop_socket_is_transient()) BIO_set_retry_write(bio);
    return sent;
}

static inline int outcrop_socket_read(BIO *bio, char *bytes, int count) {
    struct outcrop_socket *socket = (struct outcrop_socket *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (socket->allowance <= 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    int received = (int)recv(socket->descriptor, bytes, (size_t)count, 0);
    if (received > 0) socket->allowance -= received;
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
    void *socket = calloc(1, sizeof(struct outcrop_socket));
    BIO_set_data(bio, socket);
    BIO_set_init(bio, socket != NULL);
    return socket != NULL;
}

static inline int outcrop_socket_destroy(BIO *bio) {
    free(BIO_get_data(bio));
    BIO_set_data(bio, NULL);
    return 1;
}

static inline BIO_METHOD *outcrop_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (!method) return NULL;
    BIO_meth_set_create(method, outcrop_socket_create);
    BIO_meth_set_destroy(method, outcrop_socket_destroy);
    BIO_meth_set_write(method, outcrop_socket_write);
    BIO_meth_set_read(method, outcrop_socket_read);
    BIO_meth_set_ctrl(method, outcrop_socket_control);
    return method;
}

#endif
