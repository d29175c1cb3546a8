// SPDX-License-Identifier: Apache-2.0

// Follows the server's history, so that pages show what others change. A browser allows few connections to a server, so
// one window follows for all of them. Without a history, or the right to read all of it, nothing is followed.

import {model} from "./model.js";
import {reportForeignChange, session} from "./session.js";
import {listen} from "./stream.js";

/** Changes that come faster are reported together, in milliseconds. */
const PAUSE = 400;

let abort = new AbortController();

/** Begins to follow, in this window or in another one that does already, if those who are signed in may. */
export function followHistory() {
    abort.abort();
    abort = new AbortController();
    // Seeing what another identity sees isn't administering.
    const isPermitted = model.mayAdminister && session.actAs === null;
    if (navigator.locks === undefined || !isPermitted) return;
    const {signal} = abort;
    // The other windows wait here, until this one is closed.
    navigator.locks.request("outcrop-history", {signal}, () => follow(signal)).catch(() => {});
}

async function follow(signal) {
    let isPlanned = false;
    const report = () => {
        isPlanned = false;
        reportForeignChange();
    };
    await listen("/api/history/stream", signal, () => {
        if (!isPlanned) setTimeout(report, PAUSE);
        isPlanned = true;
    });
}
