// SPDX-License-Identifier: Apache-2.0

// Server-sent events, read with the session's credential, which the browser's own reader can't send.

import {APIError, open} from "./api.js";
import {readJSON} from "./json.js";

/**
 * Receives the events of a stream until it is aborted. A broken connection is made again, after the last event.
 *
 * @param {string} target
 * @param {AbortSignal} signal
 * @param {(event: {event: string, data: any, id: string}) => void} receive
 * @param {(state: "live" | "waiting") => void} [report] Called when the connection is made, and when it is lost.
 * @throws {APIError} If the server refuses the request.
 */
export async function listen(target, signal, receive, report = () => {}) {
    let id = "";
    let pause = 500;
    while (!signal.aborted) {
        try {
            const headers = id === "" ? {} : {"Last-Event-ID": id};
            const response = await open(target, {headers, signal, accept: "text/event-stream"});
            report("live");
            pause = 500;
            for await (const event of eventsOf(response.body)) {
                id = event.id ?? id;
                if (event.data !== "") receive({event: event.event, data: readJSON(event.data), id});
            }
        } catch (error) {
            if (signal.aborted) return;
            const isRefused = error instanceof APIError && error.status >= 400 && error.status < 500;
            if (isRefused && error.status !== 410) throw error;
            if (error.status === 410) id = "";
            else if (!(error instanceof APIError || error instanceof TypeError)) throw error;
        }
        if (signal.aborted) return;
        report("waiting");
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, 10_000);
    }
}

async function* eventsOf(body) {
    let rest = "";
    let event = {event: "message", data: ""};
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        for (const line of lines) {
            if (line === "") {
                yield event;
                event = {event: "message", data: ""};
                continue;
            }
            const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
            if (name === "data") event.data += (event.data === "" ? "" : "\n") + value;
            else if (name === "event" || name === "id") event[name] = value;
        }
    }
}
