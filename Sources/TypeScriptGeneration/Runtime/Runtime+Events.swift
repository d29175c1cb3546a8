// SPDX-License-Identifier: Apache-2.0

// Reads server-sent events over connections that may break.

extension Runtime {
    static let events = #"""
        // ----- Events -----

        interface ServerEvent {
          readonly name: string;
          readonly data: unknown;
          /** Whether the connection was broken before this event. */
          readonly isAfterBreak: boolean;
        }

        /** The server sends a comment every 15 seconds; a connection that is silent for longer is broken. */
        const silenceLimit = 45_000;

        /**
         * The events of a stream. A broken connection is opened again with the last position. The iteration ends if the
         * caller leaves it or aborts the signal, and throws if the server refuses the request.
         */
        async function* serverEvents(
          connection: ServerConnection,
          path: string,
          signal: AbortSignal | undefined,
        ): AsyncGenerator<ServerEvent, void, undefined> {
          let lastID = "";
          let retry = 1000;
          let failures = 0;
          let isAfterBreak = false;
          for (;;) {
            const controller = new AbortController();
            const abort = (): void => controller.abort();
            signal?.addEventListener("abort", abort, { once: true });
            let silence: ReturnType<typeof setTimeout> | undefined;
            try {
              if (signal?.aborted) return;
              const headers: { [name: string]: string } = { Accept: "text/event-stream" };
              if (lastID !== "") headers["Last-Event-ID"] = lastID;
              const response = await connection.send({ method: "GET", path, headers, signal: controller.signal });
              const reader = response.body?.getReader();
              if (reader === undefined) return;
              const events = new EventReader();
              const decoder = new TextDecoder();
              for (;;) {
                clearTimeout(silence);
                silence = setTimeout(abort, silenceLimit);
                const { done, value } = await reader.read();
                if (done) break;
                failures = 0;
                for (const event of events.read(decoder.decode(value, { stream: true }))) {
                  // The server ends the stream. Connecting again shows whether it goes on.
                  if (event.name === "end") continue;
                  yield { name: event.name, data: JSON.parse(event.data) as unknown, isAfterBreak };
                  isAfterBreak = false;
                  if (event.id !== undefined) lastID = event.id;
                }
                lastID = events.lastID ?? lastID;
                retry = events.retry ?? retry;
              }
            } catch (error) {
              if (signal?.aborted) return;
              if (error instanceof OutcropError && isFinal(error.status)) throw error;
            } finally {
              clearTimeout(silence);
              signal?.removeEventListener("abort", abort);
              controller.abort();
            }
            isAfterBreak = true;
            try {
              await pause(Math.min(retry * 2 ** failures, 30_000), signal);
            } catch {
              return;
            }
            failures += 1;
          }
        }

        /** Reads server-sent events from text that arrives in parts. */
        class EventReader {
          /** The position behind everything read so far, also without an event. */
          lastID: string | undefined;
          /** The milliseconds to wait before connecting again. */
          retry: number | undefined;
          private rest = "";
          private name = "";
          private data: string[] = [];

          *read(text: string): Generator<{ name: string; data: string; id: string | undefined }> {
            const lines = (this.rest + text).split(/\r\n|\n/);
            this.rest = lines.pop() ?? "";
            for (const line of lines) {
              if (line === "") {
                if (this.data.length > 0) yield { name: this.name, data: this.data.join("\n"), id: this.lastID };
                this.name = "";
                this.data = [];
                continue;
              }
              const colon = line.indexOf(":");
              const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
              switch (colon < 0 ? line : line.slice(0, colon)) {
                case "event":
                  this.name = value;
                  break;
                case "data":
                  this.data.push(value);
                  break;
                case "id":
                  this.lastID = value;
                  break;
                case "retry":
                  this.retry = Number(value) || undefined;
                  break;
              }
            }
          }
        }

        /** Whether the same request would be refused again. */
        function isFinal(status: number): boolean {
          return (status >= 400 && status < 500) || status === 501;
        }
        """#
}
