// SPDX-License-Identifier: Apache-2.0

// Signing in with a key, a token or an account's password, and out again.

import {send} from "./api.js";
import {h, show} from "./dom.js";
import {forget} from "./former.js";
import {session} from "./session.js";
import {dialog, field, problem, toast} from "./widgets.js";

let isAsking = false;

/** Asks for a credential. Requests that fail at the same time ask once. */
export async function askToSignIn() {
    if (isAsking) return;
    isAsking = true;
    await dialog("Sign in", (close) => [byPassword(close), h("hr"), byKey(close)]);
    isAsking = false;
}

/** Ends the session of an account, and forgets the credential. */
export async function signOut() {
    if (session.refreshToken !== null) await send("/api/auth/sign-out", {method: "POST", body: {}}).catch(() => {});
    begin({token: null, refreshToken: null});
    toast("Signed out.");
}

/** Begins to see the data as somebody else. */
function begin(credential) {
    forget();
    session.change({...credential, actAs: null, draft: null});
}

function byPassword(close) {
    const name = h("input", {type: "text", autocomplete: "username", autofocus: true});
    const password = h("input", {type: "password", autocomplete: "current-password"});
    const failure = h("div");
    const submit = async (event) => {
        event.preventDefault();
        try {
            const {value} = await send(
                "/api/auth/sign-in", {method: "POST", body: {name: name.value, password: password.value}},
            );
            close();
            begin({token: value.token, refreshToken: value.refreshToken});
        } catch (error) {
            const hasNone = error.status === 404;
            show(failure, problem(hasNone ? new Error("This server has no accounts. Use a key or a token.") : error));
        }
    };
    return h("form", {onsubmit: submit}, h("h3", {}, "With an account"), field("Name", name).element,
        field("Password", password).element, failure, h(
            "div", {class: "buttons"}, h("button", {class: "primary"}, "Sign in"),
        ));
}

function byKey(close) {
    const key = h("input", {type: "password", autocomplete: "off", spellcheck: "false"});
    const failure = h("div");
    const submit = async (event) => {
        event.preventDefault();
        const token = key.value.trim();
        if (token === "") return;
        try {
            await send("/api", {headers: {Authorization: `Bearer ${token}`}});
            close();
            begin({token, refreshToken: null});
        } catch (error) {
            show(failure, problem(error));
        }
    };
    return h("form", {onsubmit: submit}, h("h3", {}, "With a key or a token"), field("Key or token", key).element,
        failure, h("div", {class: "buttons"}, h("button", {}, "Use it")));
}
