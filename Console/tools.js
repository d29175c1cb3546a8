// SPDX-License-Identifier: Apache-2.0

// The tools at the end of the top line: as whom one sees the data, and the menu.

import {h, show} from "./dom.js";
import {counted} from "./format.js";
import {icon} from "./icons.js";
import {identity} from "./identity.js";
import {menu} from "./menu.js";
import {model} from "./model.js";
import {go} from "./navigation.js";
import {pageEdits} from "./pageedits.js";
import {session} from "./session.js";
import {showShortcuts} from "./shortcuts.js";
import {setTheme, theme, THEMES} from "./theme.js";
import {dialog} from "./widgets.js";

export function showTools() {
    const mustSignIn = model.hasAccessRules && session.token === null;
    const isReadOnly = model.isReadOnly && !mustSignIn;
    show(document.getElementById("tools"), session.actAs === null ? null : actsAs(session.actAs),
        isReadOnly ? h("span", {class: "badge", title: "Nothing can be changed here"}, "read-only") : null,
        mustSignIn ? h("button", {type: "button", class: "small primary", onclick: signIn}, "Sign in") : null,
        menu(icon("menu"), items, {class: "icon-button", "aria-label": "Menu"}));
}

function actsAs(identity) {
    const end = async () => { if (await pageEdits.discard()) session.change({actAs: null}); };
    return h("button", {type: "button", class: "badge warn", title: "Return to your own view", onclick: end},
        `as ${identity.replace("role=", "")}`, icon("close"));
}

function items() {
    const isSignedIn = session.token !== null;
    const author = {label: "Your name in the history …", icon: "person", action: askForAuthor};
    return [
        ...(identity.name === null ? [] : [me(), null]),
        ...THEMES.map(([name, label]) => ({label, isChecked: theme() === name, action: () => setTheme(name)})),
        null,
        // Access rules know the names of those who have signed in.
        ...(model.hasAccessRules && isSignedIn ? [] : [author]),
        {label: isSignedIn ? "Sign out" : "Sign in …", icon: "person", action: isSignedIn ? signOut : signIn},
        null,
        {label: "API reference", action: () => go("#/reference")},
        {label: "Shortcuts", hint: "?", action: showShortcuts},
        {label: `About ${model.title}`, action: about},
    ];
}

/** Who one is, and with which roles. */
function me() {
    const roles = identity.roles.join(", ") || (model.mayAdminister ? "administers" : "");
    return {label: identity.name, hint: roles, icon: "person", action: () => go("#/access")};
}

async function signIn() {
    (await import("./signin.js")).askToSignIn();
}

async function signOut() {
    (await import("./signin.js")).signOut();
}

function askForAuthor() {
    dialog("Your name in the history", (close) => {
        const input = h(
            "input",
            {type: "text", "aria-label": "Name", maxlength: 100, $value: session.author ?? "", autofocus: true},
        );
        const submit = (event) => {
            event.preventDefault();
            close();
            session.change({author: input.value.trim()});
        };
        return h("form", {onsubmit: submit},
            h("p", {class: "quiet"}, "Changes are recorded with it, unless access rules know who you are."),
            input, h("div", {class: "buttons"}, h("button", {class: "primary"}, "Use it")));
    });
}

function about() {
    dialog(`About ${model.title}`, () => [
        h("p", {}, `Outcrop ${model.serverVersion}, with ${counted(model.entities.length, "entity", "entities")}.`),
        h("ul", {}, Object.entries(model.links).map(([name, path]) => h("li", {}, h("a", {href: path}, name)))),
    ]);
}
