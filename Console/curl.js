// SPDX-License-Identifier: Apache-2.0

// Requests as lines for a shell.

import {parameterPairs} from "./api.js";
import {writeJSON} from "./json.js";

/**
 * The curl line of a request. Parameters that need escaping are given to `--data-urlencode`.
 *
 * @param {string} method
 * @param {string} path
 * @param {Record<string, any>} [parameters]
 * @param {any} [body] Sent as JSON, or null.
 * @param {Record<string, string>} [headers]
 */
export function curl(method, path, parameters = {}, body = null, headers = {}) {
    const pairs = parameterPairs(parameters);
    const isPlain = pairs.every(([, value]) => /^[A-Za-z0-9_.,:/-]*$/.test(String(value)));
    const isInPath = isPlain || body !== null;
    const text = pairs.map((pair) => pair.map(isPlain ? String : encodeURIComponent).join("=")).join("&");
    const words = ["curl"];
    if (!isInPath) words.push("-G");
    if (method !== (body === null ? "GET" : "POST")) words.push("-X", method);
    for (const [name, value] of Object.entries(headers)) words.push("-H", shellWord(`${name}: ${value}`));
    words.push(shellWord(location.origin + path + (isInPath && text !== "" ? "?" + text : "")));
    if (!isInPath) for (const [name, value] of pairs) words.push("--data-urlencode", shellWord(`${name}=${value}`));
    if (body !== null) words.push("--json", shellWord(writeJSON(body)));
    return words.join(" ");
}

/** A word for a shell, in quotes if it needs them. */
export function shellWord(text) {
    return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
