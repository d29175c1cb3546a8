// SPDX-License-Identifier: Apache-2.0

// Requests to the API, with the session's credential, draft and identity. Problems become errors.

import {readJSON, writeJSON} from "./json.js";

/** An answer that isn't a success: the problem's code, hint and errors. */
export class APIError extends Error {
    constructor(status, problem, target) {
        super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
        this.status = status;
        this.problem = problem;
        this.target = target;
    }
    get code() { return this.problem.code ?? ""; }
    get hint() { return this.problem.hint ?? ""; }
    get errors() { return this.problem.errors ?? []; }
    get position() { return this.problem.position; }

    /** The messages for a property, by its name at the beginning of the pointer. */
    messages(property) {
        return this.errors.filter((error) => error.property === property || (error.pointer ?? "").split("/")[1] === property)
            .map((error) => error.message);
    }
}

const kept = {
    get: (key) => { try { return sessionStorage.getItem("outcrop." + key); } catch { return null; } },
    set: (key, value) => {
        try {
            if (value === null) sessionStorage.removeItem("outcrop." + key);
            else sessionStorage.setItem("outcrop." + key, value);
        } catch { /* Private windows may refuse. */ }
    },
};

/** What holds in this window: the credential, whose view it is, and the draft that is edited. */
export const session = {
    token: kept.get("token"), refreshToken: kept.get("refreshToken"), actAs: kept.get("actAs"), draft: kept.get("draft"),

    /** Changes some of it, and tells the page. */
    change(values) {
        for (const [key, value] of Object.entries(values)) {
            this[key] = value || null;
            kept.set(key, this[key]);
        }
        dispatchEvent(new CustomEvent("outcrop-session", {detail: values}));
    },
};

/** The path of data, in the draft if one is edited. */
export function dataPath(path, draft = session.draft) {
    return (draft === null ? "/api/" : `/api/contexts/${encodeURIComponent(draft)}/`) + path;
}

/**
 * Sends a request.
 *
 * @param {string} target
 * @param {{method?: string, body?: any, raw?: BodyInit, type?: string, headers?: object, signal?: AbortSignal, as?: string}} options
 *   `body` is sent as JSON; `raw` as it is.
 * @returns {Promise<{status: number, value: any, tag: string | null, text: string, milliseconds: number, headers: Headers}>}
 */
export async function send(target, {method = "GET", body, raw, type, headers = {}, signal, accept = "application/json"} = {}) {
    const begin = performance.now();
    const response = await fetched(target, {method, body, raw, type, headers, signal, accept});
    const text = await response.text();
    const value = isJSON(response) && text !== "" ? readJSON(text) : null;
    if (!response.ok && response.status !== 304) throw new APIError(response.status, value ?? {title: response.statusText}, target);
    return {
        status: response.status, value, text, tag: response.headers.get("ETag"), headers: response.headers,
        milliseconds: performance.now() - begin,
    };
}

/** The response as it is: for bytes and streams. */
export async function fetched(target, {method = "GET", body, raw, type, headers = {}, signal, accept = "*/*"} = {}, again = true) {
    const fields = new Headers({Accept: accept, ...headers});
    if (body !== undefined) fields.set("Content-Type", "application/json");
    if (type !== undefined) fields.set("Content-Type", type);
    if (session.token !== null) fields.set("Authorization", `Bearer ${session.token}`);
    if (session.actAs !== null && !target.startsWith("/api/auth/")) fields.set("Act-As", session.actAs);
    let response;
    try {
        response = await fetch(target, {method, headers: fields, body: body === undefined ? raw : writeJSON(body), signal});
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new APIError(0, {title: "The server can't be reached.", code: "unreachable", hint: "Is it running?"}, target);
    }
    if (response.status === 401 && !target.startsWith("/api/auth/")) {
        if (again && session.refreshToken !== null && await refresh()) return fetched(target, {method, body, raw, type, headers, signal, accept}, false);
        dispatchEvent(new CustomEvent("outcrop-unauthenticated"));
    }
    return response;
}

async function refresh() {
    const response = await fetch("/api/auth/refresh", {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({refreshToken: session.refreshToken}),
    });
    const tokens = response.ok ? await response.json() : {token: null, refreshToken: null};
    session.change({token: tokens.token, refreshToken: tokens.refreshToken});
    return response.ok;
}

function isJSON(response) { return /[/+]json/.test(response.headers.get("Content-Type") ?? ""); }

export async function get(target, options = {}) { return (await send(target, options)).value; }

/** A query of parameters, without those that are empty. A list is a parameter that is repeated. */
export function query(parameters) {
    const pairs = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
        .filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false);
    return pairs.length === 0 ? "" : "?" + pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
}

/**
 * The events of a stream, until it is aborted; it connects again by itself.
 *
 * @param {(event: {event: string, data: any, id: string}) => void} receive
 * @param {(state: string) => void} tell Whether it is live.
 */
export async function listen(target, signal, receive, tell = () => {}) {
    let id = "", pause = 500;
    while (!signal.aborted) {
        try {
            const headers = id === "" ? {} : {"Last-Event-ID": id};
            const response = await fetched(target, {headers, signal, accept: "text/event-stream"});
            if (!response.ok) {
                const problem = isJSON(response) ? await response.json() : {title: response.statusText};
                throw new APIError(response.status, problem, target);
            }
            tell("live");
            pause = 500;
            for await (const event of events(response.body)) {
                if (event.id !== undefined) id = event.id;
                if (event.data !== "") receive({event: event.event, data: readJSON(event.data), id});
            }
        } catch (error) {
            if (signal.aborted) return;
            if (error instanceof APIError && error.status >= 400 && error.status < 500 && error.status !== 410) throw error;
            if (error.status === 410) id = "";
        }
        if (signal.aborted) return;
        tell("waiting");
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, 10_000);
    }
}

async function* events(body) {
    let rest = "", event = {event: "message", data: ""};
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
