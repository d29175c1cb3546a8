// SPDX-License-Identifier: Apache-2.0
//
// Watches live queries while others save: watch PORT SHAPES STREAMS SAVES_PER_SECOND SECONDS.
//
// Each stream watches the items of one shape, and each save sets an item's value to the save's number, so that an event says
// which save it belongs to. Prints the time from sending a save to receiving its events, and whether each stream has
// received each of its saves once and in order.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { WRITERS = 32, ITEMS = 10, BUFFER = 16384, LISTENING = 0, READY = 1 };

struct stream {
    int socket, state, shape;
    long events, order_errors, last;
    size_t used;
    char *buffer;
};

struct writer {
    int socket, busy;
};

static struct stream *streams;
static struct writer writers[WRITERS];
static double *sent_at;
static long *saves_of_shape;
static float *latencies;
static long latency_count, latency_limit;
static int port;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static int connect_to_server(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    if (handle < 0 || connect(handle, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("watch: connect");
        exit(1);
    }
    int one = 1;
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return handle;
}

static void send_all(int handle, const char *text, size_t count) {
    while (count > 0) {
        ssize_t written = write(handle, text, count);
        if (written < 0 && errno == EAGAIN) continue;
        if (written <= 0) {
            perror("watch: write");
            exit(1);
        }
        text += written;
        count -= written;
    }
}

/// Counts the values of one event, in the order in which saves may have set them.
static void read_event(struct stream *stream, char *event, double time) {
    if (strstr(event, "event: result")) {
        stream->state = READY;
        return;
    }
    if (!strstr(event, "event: change")) {
        if (strstr(event, "event: reset")) fprintf(stderr, "watch: a reset\n");
        return;
    }
    for (char *place = event; (place = strstr(place, "\"value\":")); place += 8) {
        long number = atol(place + 8);
        stream->events++;
        if (number <= stream->last) stream->order_errors++;
        stream->last = number;
        if (latency_count < latency_limit) latencies[latency_count++] = time - sent_at[number];
    }
}

static void read_stream(struct stream *stream) {
    while (1) {
        ssize_t count = read(stream->socket, stream->buffer + stream->used, BUFFER - 1 - stream->used);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            fprintf(stderr, "watch: a stream has ended\n");
            exit(1);
        }
        double time = now();
        stream->used += count;
        stream->buffer[stream->used] = 0;
        char *start = stream->buffer, *end;
        while ((end = strstr(start, "\n\n"))) {
            end[0] = 0;
            read_event(stream, start, time);
            start = end + 2;
        }
        stream->used -= start - stream->buffer;
        memmove(stream->buffer, start, stream->used + 1);
    }
}

static void read_answer(struct writer *writer) {
    char buffer[8192];
    ssize_t count = read(writer->socket, buffer, sizeof buffer - 1);
    if (count < 0 && errno == EAGAIN) return;
    if (count == 0 && !writer->busy) {
        // It was never used, so the server has closed it.
        close(writer->socket);
        writer->busy = 1;
        return;
    }
    buffer[count > 0 ? count : 0] = 0;
    if (count <= 0 || !strstr(buffer, " 204 ")) {
        fprintf(stderr, "watch: a save failed: %s\n", buffer);
        exit(1);
    }
    writer->busy = 0;
}

static int compare(const void *one, const void *other) {
    float left = *(const float *)one, right = *(const float *)other;
    return left < right ? -1 : left > right;
}

static void open_stream(int index, int shape, int poll) {
    struct stream *stream = &streams[index];
    char text[256];
    stream->buffer = malloc(BUFFER);
    stream->shape = shape;
    stream->socket = connect_to_server();
    int length = snprintf(
        text, sizeof text,
        "GET /api/Item/live?where=shape==%d&sort=value&select=value HTTP/1.1\r\nHost: localhost\r\n\r\n", shape);
    send_all(stream->socket, text, length);
    fcntl(stream->socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
    epoll_ctl(poll, EPOLL_CTL_ADD, stream->socket, &event);
}

int main(int count, char **arguments) {
    if (count != 6) return fprintf(stderr, "watch PORT SHAPES STREAMS SAVES_PER_SECOND SECONDS\n"), 2;
    port = atoi(arguments[1]);
    int shapes = atoi(arguments[2]), stream_count = atoi(arguments[3]);
    double rate = atof(arguments[4]), seconds = atof(arguments[5]);
    long save_limit = rate * seconds + 10;
    streams = calloc(stream_count, sizeof *streams);
    sent_at = calloc(save_limit + 1, sizeof *sent_at);
    saves_of_shape = calloc(shapes, sizeof *saves_of_shape);
    latency_limit = save_limit * (stream_count / shapes + 1);
    latencies = calloc(latency_limit, sizeof *latencies);
    int poll = epoll_create1(0);
    char text[512];
    double start = now();
    for (int index = 0; index < WRITERS; index++) {
        writers[index].socket = connect_to_server();
        fcntl(writers[index].socket, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = stream_count + index};
        epoll_ctl(poll, EPOLL_CTL_ADD, writers[index].socket, &event);
    }
    long saves = 0;
    int opened = 0, isReady = 0;
    double begin = 0, end = 0;
    while (1) {
        struct epoll_event events[512];
        int found = epoll_wait(poll, events, 512, 1);
        for (int index = 0; index < found; index++) {
            uint64_t place = events[index].data.u64;
            if (place < (uint64_t)stream_count) read_stream(&streams[place]);
            else read_answer(&writers[place - stream_count]);
        }
        if (!isReady) {
            int ready = 0;
            for (int index = 0; index < opened; index++) ready += streams[index].state == READY;
            // Not all at once, since the server queues a limited number of requests.
            while (opened < stream_count && opened - ready < 64) {
                open_stream(opened, opened % shapes, poll);
                opened++;
            }
            if (ready < stream_count) {
                if (now() - start > 120) return fprintf(stderr, "watch: only %d streams began\n", ready), 1;
                continue;
            }
            isReady = 1;
            printf("%d streams of %d shapes opened in %.1f s\n", stream_count, shapes, now() - start);
            fflush(stdout);
            begin = now() + 1;
            end = begin + seconds;
        }
        double time = now();
        if (time > end + 3) break;
        while (time < end && time > begin && saves < (time - begin) * rate && saves < save_limit) {
            int free = 0;
            while (free < WRITERS && writers[free].busy) free++;
            if (free == WRITERS) break;
            saves++;
            int shape = (saves * 7919) % shapes;
            long item = 1 + shape * ITEMS + saves % ITEMS;
            char body[64];
            int body_length = snprintf(body, sizeof body, "{\"value\":%ld}", saves);
            int length = snprintf(
                text, sizeof text,
                "PATCH /api/Item/%ld HTTP/1.1\r\nHost: localhost\r\nPrefer: return=minimal\r\n"
                "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                item, body_length, body);
            sent_at[saves] = time;
            saves_of_shape[shape]++;
            writers[free].busy = 1;
            send_all(writers[free].socket, text, length);
        }
    }
    long missed = 0, total = 0, order = 0;
    for (int index = 0; index < stream_count; index++) {
        long expected = saves_of_shape[streams[index].shape];
        total += streams[index].events;
        order += streams[index].order_errors;
        missed += labs(expected - streams[index].events);
    }
    qsort(latencies, latency_count, sizeof *latencies, compare);
    printf("%.0f saves per second, %ld events, %ld missing or repeated, %ld out of order\n", saves / seconds, total, missed, order);
    if (latency_count > 0)
        printf(
            "from the request to the event: median %.1f ms, 99 %% %.1f ms, maximum %.1f ms\n",
            latencies[latency_count / 2] * 1e3, latencies[latency_count * 99 / 100] * 1e3, latencies[latency_count - 1] * 1e3);
    return 0;
}
