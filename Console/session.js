// SPDX-License-Identifier: Apache-2.0

// What holds in this window: who is signed in, as whom the data are seen, and which draft is edited. It also
// reports changes of data, to this window and to others of the same browser.

import {memory, windowMemory} from "./memory.js";

/**
 * Reports what happens in this window:
 * - `session`: some of the session has changed; `detail` has what. Other tokens of the same session aren't reported.
 * - `changed`: data were changed, by this window or another one; `detail.isOwn` says by which.
 * - `unauthenticated`: the server wants a credential.
 * - `unreachable`: a request got no answer.
 */
export const events = new EventTarget();

export const session = {
    /** @type {string | null} An API key, or the token of an account. */
    token: windowMemory.get("token"),
    /** @type {string | null} What gets another token for an account. */
    refreshToken: windowMemory.get("refreshToken"),
    /** @type {string | null} For those who administer: as whom the data are seen, `role=editor` or `users/7`. */
    actAs: windowMemory.get("actAs"),
    /** @type {string | null} The draft that is edited, such as `c1`. */
    draft: windowMemory.get("draft"),
    /** @type {string | null} The name under which the history records changes; access rules have names of their own. */
    author: memory.get("author"),

    /** Changes some of it, and reports that. */
    change(values) {
        this.keep(values);
        events.dispatchEvent(new CustomEvent("session", {detail: values}));
    },

    /** Keeps values that change nothing for the pages. */
    keep(values) {
        for (const [key, value] of Object.entries(values)) {
            this[key] = value || null;
            if (key === "author") memory.set(key, this[key]);
            else windowMemory.set(key, this[key]);
        }
    },
};

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("outcrop");

channel?.addEventListener("message", (message) => {
    if (message.data.draft === session.draft || message.data.draft === null) announce(false);
});

/** Reports that this window has changed data, after which lists, counts and the draft's state may be outdated. */
export function reportChange() {
    announce(true);
    channel?.postMessage({draft: session.draft});
}

/** Reports that others have changed stored data. */
export function reportForeignChange() {
    announce(false);
    channel?.postMessage({draft: null});
}

function announce(isOwn) {
    events.dispatchEvent(new CustomEvent("changed", {detail: {isOwn}}));
}
