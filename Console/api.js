// SPDX-License-Identifier: Apache-2.0

// Requests to the API, with the session's credential, author and draft. Problem documents become errors.

import {readJSON, writeJSON} from "./json.js";
import {events, session} from "./session.js";
import {renewTokens} from "./tokens.js";

const REFRESH = "/api/auth/refresh";

/**
 * @typedef {object} Options
 * @property {string} [method]
 * @property {any} [body] Sent as JSON.
 * @property {BodyInit} [raw] Sent as it is, with `type`.
 * @property {string} [type] The content type of `raw`.
 * @property {string | null} [tag] The `ETag` that the change is based on, sent as `If-Match`.
 * @property {string} [prefer] Such as `return=minimal`.
 * @property {string} [accept]
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} value The JSON, or null.
 * @property {string} text
 * @property {string | null} tag The `ETag`.
 * @property {Headers} headers
 * @property {number} milliseconds
 */

/** An answer that isn't a success: a problem document of the server. */
export class APIError extends Error {
    /**
     * @param {number} status 0 if there was no answer.
     * @param {Record<string, any>} problem
     */
    constructor(status, problem) {
        super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
        this.status = status;
        this.problem = problem;
    }

    get code() {
        return this.problem.code ?? "";
    }

    get hint() {
        return this.problem.hint ?? "";
    }

    /** @returns {Array<{object?: string, property?: string, code: string, message: string, pointer?: string}>} */
    get errors() {
        return this.problem.errors ?? [];
    }

    /** Where the mistake is in a predicate or a parameter, in Unicode scalars; or null. */
    get position() {
        return this.problem.position === undefined ? null : Number(this.problem.position);
    }

    /** What is wrong with a property, by its name or by the pointer into the body. @param {string} property */
    messages(property) {
        const concerns = (error) => error.property === property || (error.pointer ?? "").split("/")[1] === property;
        return this.errors.filter(concerns).map((error) => error.message);
    }
}

/**
 * The path of data: in the draft, if one is edited.
 *
 * @param {string} path Such as `posts/7`.
 * @param {string | null} [draft]
 */
export function dataPath(path, draft = session.draft) {
    return (draft === null ? "/api/" : `/api/contexts/${encodeURIComponent(draft)}/`) + path;
}

/**
 * The query of a path. Empty parameters are left out, and lists are repeated parameters.
 *
 * @param {Record<string, any>} parameters
 */
export function query(parameters) {
    const pairs = parameterPairs(parameters);
    return pairs.length === 0 ? "" : "?" + pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
}

/**
 * The names and values of parameters that aren't empty.
 *
 * @param {Record<string, any>} parameters
 * @returns {Array<[string, string]>}
 */
export function parameterPairs(parameters) {
    return Object.entries(parameters)
        .flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
        .filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false);
}

/**
 * The value that a path has.
 *
 * @param {string} target
 * @param {Options} [options]
 */
export async function get(target, options = {}) {
    return (await send(target, options)).value;
}

/**
 * Sends a request and reads the answer.
 *
 * @param {string} target
 * @param {Options} [options]
 * @returns {Promise<Answer>}
 * @throws {APIError} If the answer isn't a success.
 */
export async function send(target, options = {}) {
    const begin = performance.now();
    const response = await open(target, {accept: "application/json", ...options});
    const text = await response.text();
    const value = text !== "" && isJSON(response) ? readJSON(text) : null;
    const {status, headers} = response;
    return {status, value, text, tag: headers.get("ETag"), headers, milliseconds: performance.now() - begin};
}

/**
 * Sends a request and leaves reading to the caller: for bytes and streams.
 *
 * @param {string} target
 * @param {Options} [options]
 * @returns {Promise<Response>}
 * @throws {APIError} If the answer isn't a success.
 */
export async function open(target, options = {}) {
    const {token} = session;
    let response = await attempt(target, options);
    if (response.status === 401 && session.refreshToken !== null
        && (session.token !== token || await renewTokens(requestTokens))) {
        response = await attempt(target, options);
    }
    if (response.ok || response.status === 304) return response;
    if (response.status === 401 && !target.startsWith("/api/auth/")) events.dispatchEvent(new Event("unauthenticated"));
    throw await problemOf(response);
}

async function problemOf(response) {
    const text = await response.text();
    return new APIError(
        response.status, text !== "" && isJSON(response) ? readJSON(text) : {title: response.statusText},
    );
}

/** Sends a request; one that reads is repeated if the server is busy. */
async function attempt(target, options) {
    const {method = "GET", body, raw, signal} = options;
    for (let repeats = 0; ; repeats += 1) {
        let response;
        try {
            response = await fetch(target, {
                method, headers: fields(target, options), body: body === undefined ? raw : writeJSON(body), signal,
            });
        } catch (error) {
            if (error.name === "AbortError") throw error;
            events.dispatchEvent(new Event("unreachable"));
            throw new APIError(0, {title: "The server can't be reached.", code: "unreachable", hint: "Is it running?"});
        }
        if (response.status !== 503 || method !== "GET" || repeats === 3) return response;
        const seconds = Number(response.headers.get("Retry-After") ?? 1);
        await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 5) * 1000));
    }
}

function fields(target, {body, type, tag, prefer, accept = "*/*", headers = {}}) {
    const result = new Headers({Accept: accept, ...headers});
    if (body !== undefined) result.set("Content-Type", "application/json");
    if (type !== undefined) result.set("Content-Type", type);
    if (tag) result.set("If-Match", tag);
    if (prefer !== undefined) result.set("Prefer", prefer);
    if (session.author !== null) result.set("X-Author", headerText(session.author));
    const isSent = session.token !== null && !result.has("Authorization") && target !== REFRESH;
    if (isSent) result.set("Authorization", `Bearer ${session.token}`);
    const isOwn = target.startsWith("/api/auth/") || result.has("Act-As");
    if (session.actAs !== null && !isOwn) result.set("Act-As", session.actAs);
    return result;
}

/** A text in UTF-8, which the server reads; to the browser a field's value is a string of bytes. */
function headerText(text) {
    return String.fromCharCode(...new TextEncoder().encode(text.replace(/\p{Cc}/gu, " ")));
}

/** Gets other tokens for an account; null if its session has ended. A server that is busy hasn't ended it. */
async function requestTokens(refreshToken) {
    const response = await attempt(REFRESH, {method: "POST", body: {refreshToken}});
    if (response.status === 401 || response.status === 403) return null;
    if (!response.ok) throw await problemOf(response);
    const tokens = readJSON(await response.text());
    return {token: tokens.token, refreshToken: tokens.refreshToken};
}

function isJSON(response) {
    return /[/+]json/.test(response.headers.get("Content-Type") ?? "");
}
