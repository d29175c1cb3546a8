// SPDX-License-Identifier: Apache-2.0

// Says above all pages that the server can't be reached, and finds out when it can be again.

import {h, show} from "./dom.js";
import {icon} from "./icons.js";
import {events, reportForeignChange} from "./session.js";

/** Milliseconds between attempts to reach the server. */
const PAUSE = 2000;

const banner = document.getElementById("connection");

/** @param {() => void} recovered Called when the server can be reached again. */
export function watchConnection(recovered) {
    events.addEventListener("unreachable", () => {
        if (!banner.hidden) return;
        showBanner();
        waitForServer(recovered);
    });
}

function showBanner() {
    show(banner, icon("warning"), h("strong", {}, "The server can't be reached."),
        h("span", {}, "What is shown may be outdated, and nothing can be saved until it answers again."));
    banner.hidden = false;
}

async function waitForServer(recovered) {
    do await new Promise((resolve) => setTimeout(resolve, PAUSE));
    while (!await isReached());
    banner.hidden = true;
    show(banner);
    recovered();
    reportForeignChange();
}

async function isReached() {
    try {
        return (await fetch("/healthz", {cache: "no-store"})).ok;
    } catch {
        return false;
    }
}
