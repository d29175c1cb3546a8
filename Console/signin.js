// SPDX-License-Identifier: Apache-2.0

// Signing in with a key, a token or an account's password, and out again.

import {send} from "./api.js";
import {h, show} from "./dom.js";
import {forget} from "./former.js";
import {model} from "./model.js";
import {pageEdits} from "./pageedits.js";
import {session} from "./session.js";
import {closeToasts, dialog, field, problem, tabs, toast} from "./widgets.js";

let isAsking = false;

/** Asks for a credential. Requests that fail at the same time ask once. */
export async function askToSignIn() {
    if (isAsking) return;
    isAsking = true;
    await dialog("Sign in", (close) => model.hasAccounts === false ? byKey(close) : withAccounts(close));
    isAsking = false;
}

/** Ends the session of an account, and forgets the credential. */
export async function signOut() {
    if (!await pageEdits.discard()) return;
    if (session.refreshToken !== null) await send("/api/auth/sign-out", {method: "POST", body: {}}).catch(() => {});
    begin({token: null, refreshToken: null});
    toast("Signed out.");
}

function withAccounts(close) {
    return tabs("Ways to sign in", [
        ["Account", () => byPassword(close)],
        ["New account", () => bySigningUp(close)],
        ["Key", () => byKey(close)],
    ]);
}

/** Begins to see the data as somebody else. */
function begin(credential) {
    forget();
    closeToasts();
    session.change({...credential, actAs: null, draft: null});
}

function byPassword(close) {
    return passwordForm("Sign in", "current-password", async (body) => {
        const {value} = await send("/api/auth/sign-in", {method: "POST", body});
        close();
        begin({token: value.token, refreshToken: value.refreshToken});
    });
}

function bySigningUp(close) {
    return passwordForm("Make an account", "new-password", async (body) => {
        const {value} = await send("/api/auth/sign-up", {method: "POST", body});
        close();
        begin({token: value.token, refreshToken: value.refreshToken});
        toast("The account was made, and you are signed in.");
    });
}

/** A form for a name, a password, and what the server says that an account needs besides. */
function passwordForm(action, autocomplete, run) {
    const inputs = {
        name: h("input", {type: "text", autocomplete: "username", autofocus: true}),
        password: h("input", {type: "password", autocomplete}),
    };
    const others = h("div");
    const failure = h("div");
    const submit = async (event) => {
        event.preventDefault();
        try {
            await run(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value])));
        } catch (error) {
            const missing = missingNames(error).filter((name) => inputs[name] === undefined);
            for (const name of missing) addInput(name);
            const more = h("p", {class: "note", role: "alert"}, "An account needs more: fill in what was added.");
            show(failure, missing.length > 0 ? more : problem(explained(error)));
        }
    };
    const addInput = (name) => {
        inputs[name] = h("input", {type: "text"});
        others.append(field(name, inputs[name]).element);
        inputs[name].focus();
    };
    return h("form", {onsubmit: submit}, field("Name", inputs.name).element,
        field("Password", inputs.password).element, others, failure,
        h("div", {class: "buttons"}, h("button", {class: "primary"}, action)));
}

/**
 * The properties that an account needs and that weren't sent. If the name was, and is missing, then the entity has a
 * name besides the attribute that people sign in with, which is an address as a rule.
 */
function missingNames(error) {
    const errors = error.status === 422 ? error.errors : [];
    const names = errors.filter((one) => one.code === "required").map((one) => one.property);
    return names.map((name) => name === "name" ? "email" : name);
}

/** The server's hints are for programs. */
function explained(error) {
    if (error.status === 404) return new Error("This server has no accounts. Use a key or a token.");
    return error.status === 401 ? new Error(error.message) : error;
}

function byKey(close) {
    const key = h("input", {type: "password", autocomplete: "off", autofocus: true, spellcheck: "false"});
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
    return h("form", {onsubmit: submit}, field("Key or token", key).element,
        failure, h("div", {class: "buttons"}, h("button", {class: "primary"}, "Use it")));
}
