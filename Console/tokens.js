// SPDX-License-Identifier: Apache-2.0

// Other tokens for an account whose access token has expired. A refresh token is valid once, and another use of it ends
// the session; but a window that is duplicated has the same one. So one window at a time uses its own, and passes the
// new tokens on.

import {session} from "./session.js";

/** How long the other windows wait after tokens were passed on, so that these arrive before, in milliseconds. */
const PAUSE = 100;

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("outcrop-tokens");

channel?.addEventListener("message", ({data: {used, tokens}}) => {
    if (session.refreshToken === used) session.keep(tokens);
});

/** @type {Promise<boolean> | null} Requests that fail together share a renewal. */
let renewing = null;

/**
 * Renews the tokens of the session. If the session has ended, they are forgotten.
 *
 * @param {(refreshToken: string) => Promise<{token: string, refreshToken: string} | null>} request
 *   Gets tokens from the server; null if the session has ended.
 * @returns {Promise<boolean>} Whether there are others now.
 */
export function renewTokens(request) {
    const used = session.refreshToken;
    renewing ??= alone(() => renew(used, request)).finally(() => { renewing = null; });
    return renewing;
}

async function renew(used, request) {
    // Another window has passed its tokens on meanwhile, or somebody has signed out.
    if (session.refreshToken !== used) return session.token !== null;
    const tokens = await request(used);
    if (tokens === null) {
        session.change({token: null, refreshToken: null});
        return false;
    }
    session.keep(tokens);
    channel?.postMessage({used, tokens});
    return true;
}

/** Calls a function while no other window does so. */
function alone(call) {
    if (navigator.locks === undefined) return call();
    return new Promise((resolve, reject) => {
        navigator.locks.request("outcrop-tokens", async () => {
            await call().then(resolve, reject);
            await new Promise((passed) => setTimeout(passed, PAUSE));
        }).catch(reject);
    });
}
