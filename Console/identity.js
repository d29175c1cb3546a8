// SPDX-License-Identifier: Apache-2.0

// Who sends the requests of this window, and what the server offers to them. Where access rules are in force, the API's
// description has only the operations that the rules permit, and only the attributes that requests may name.

import {get} from "./api.js";
import {titleOf} from "./format.js";
import {model} from "./model.js";
import {session} from "./session.js";

/** What is known about the sender of the requests. */
export const identity = {
    /** What names it; null if nobody is signed in. @type {string | null} */
    name: null,
    /** The reference of its account, or null. @type {string | null} */
    account: null,
    /** @type {string[]} */
    roles: [],
    /** The claims of its token. @type {Record<string, any>} */
    claims: {},

    /** Reads it again, after the model. */
    async read() {
        const isAsked = model.hasAccessRules && session.token !== null;
        const me = isAsked ? await get("/api/auth/me").catch(() => null) : null;
        this.account = me?.user?._id ?? null;
        this.roles = me?.roles ?? [];
        this.claims = me?.claims ?? {};
        this.name = session.token === null ? null : nameOf(me);
    },
};

function nameOf(me) {
    if (me?.user) return titleOf(me.user);
    return me?.name ?? "An API key or a token";
}
