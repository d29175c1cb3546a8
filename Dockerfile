# SPDX-License-Identifier: Apache-2.0
#
# The server in a container: built in one stage, run in another that has nothing but the program and the libraries it needs.
#
#     docker build -t outcrop .
#     docker run -p 127.0.0.1:8080:8080 -v outcrop:/data outcrop serve --demo --store sqlite:/data/demo.sqlite

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libsqlite3-dev libevent-dev libssl-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# Swift's own libraries go into the program, so that the other stage needs none of them.
RUN swift build --configuration release --product outcrop --static-swift-stdlib --scratch-path /build \
    && strip --output-file=/outcrop /build/release/outcrop

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libsqlite3-0 libevent-core-2.1-7 libssl3 libstdc++6 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --home-dir /data --shell /usr/sbin/nologin outcrop \
    && install -d -o outcrop -g outcrop -m 0750 /data
COPY --from=build /outcrop /usr/local/bin/outcrop
COPY --from=build /source/Config/container/healthcheck /usr/local/bin/healthcheck
# All that the server writes is here; the rest of the file system may be read only.
VOLUME /data
WORKDIR /data
USER outcrop
# Within a container every address is the container's own: who may connect is decided by the ports that are published.
ENV OUTCROP_LISTEN=0.0.0.0:8080
ENV OUTCROP_ALLOW_ANONYMOUS=true
ENV OUTCROP_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/usr/local/bin/healthcheck"]
ENTRYPOINT ["/usr/local/bin/outcrop"]
CMD ["serve", "--demo", "--store", "sqlite:/data/demo.sqlite"]
