# SPDX-License-Identifier: Apache-2.0
#
# The server in a container: built in one stage, run in another that has nothing but the program and the libraries it needs.
#
#     make image
#     docker run --name outcrop --stop-timeout 30 -p 127.0.0.1:8080:8080 -v outcrop:/data -v outcrop-backups:/backups outcrop
#     docker exec outcrop outcrop keys add /data/demo.sqlite --role admin
#
# Nobody may do anything without a key: OUTCROP_ACCESS names the rules. To let every client do everything instead, say so:
#
#     docker run --stop-timeout 30 -p 127.0.0.1:8080:8080 -v outcrop:/data -e OUTCROP_ACCESS= -e OUTCROP_ALLOW_ANONYMOUS=true outcrop
#
# The time to stop is more than drainTime, 10 s, so that running requests can end. The guide is docs/operations.md.

# The images that this one is made of. Config/container/build passes those in Config/container/images, which have digests since
# Config/container/pin was run, and tags before.
ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libsqlite3-dev libevent-dev libssl-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
ARG REVISION=
# Swift's own libraries go into the program, so that the other stage needs none of them.
RUN OUTCROP_COMMIT="$REVISION" swift build --configuration release --product outcrop --static-swift-stdlib --scratch-path /build \
    && strip --output-file=/outcrop /build/release/outcrop

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libsqlite3-0 libevent-core-2.1-7 libssl3 libstdc++6 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --home-dir /data --shell /usr/sbin/nologin outcrop \
    && install -d -o outcrop -g outcrop -m 0750 /data /backups /socket
COPY --from=build /outcrop /usr/local/bin/outcrop
COPY --from=build /source/Config/container/healthcheck /usr/local/bin/healthcheck
COPY --from=build /source/Config/container/access.json /etc/outcrop/access.json
# All that the server writes is here; the rest of the file system may be read only.
VOLUME /data
VOLUME /backups
WORKDIR /data
USER outcrop
# A volume at /socket is where a proxy in another container finds a Unix socket, if OUTCROP_LISTEN has one.
# Within a container every address is the container's own: who may connect is decided by the ports that are published.
ENV OUTCROP_LISTEN=0.0.0.0:8080
# Who may do what. An empty value is none, which needs OUTCROP_ALLOW_ANONYMOUS=true.
ENV OUTCROP_ACCESS=/etc/outcrop/access.json
ENV OUTCROP_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
# Asks the server where it listens, by the settings and options that it was started with.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/local/bin/healthcheck"]
ENTRYPOINT ["/usr/local/bin/outcrop"]
CMD ["serve", "--demo", "--store", "sqlite:/data/demo.sqlite"]
ARG VERSION=unknown
ARG REVISION=
LABEL org.opencontainers.image.title="Outcrop"
LABEL org.opencontainers.image.description="Core Data for servers"
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL org.opencontainers.image.version="${VERSION}"
LABEL org.opencontainers.image.revision="${REVISION}"
