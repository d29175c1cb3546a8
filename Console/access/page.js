// SPDX-License-Identifier: Apache-2.0

// The page Access: who one is, signing in, the view of others, and what each role sees.

import {get} from "../api.js";
import {h, show} from "../dom.js";
import {identity} from "../identity.js";
import {model} from "../model.js";
import {session} from "../session.js";
import {askToSignIn, signOut} from "../signin.js";
import {copyButton, problem} from "../widgets.js";
import {expectations} from "./expectations.js";
import {rules} from "./rules.js";
import {visibility} from "./visibility.js";

/** @returns {Promise<import("../navigation.js").Page>} */
export async function page() {
    const {hasAccessRules, mayAdminister} = model;
    const maySeeAs = hasAccessRules && (mayAdminister || session.actAs !== null);
    const access = maySeeAs ? await get("/api/auth/rules") : null;
    const roles = Object.keys(access?.roles ?? {});
    return {
        title: "Access",
        element: h("div", {class: "page"},
            h("div", {class: "heading"}, h("h1", {}, "Access"), h("span", {class: "spring"}),
                hasAccessRules ? signInButton() : null),
            h("div", {class: "columns2"},
                h("div", {}, hasAccessRules ? whoAmI() : withoutRules(),
                    maySeeAs ? [h("h2", {}, "See it as another"), seeAs(roles)] : null),
                h("div", {}, h("h2", {}, "API keys"), keys())),
            access === null ? null : [
                h("h2", {}, "Rules"), rules(access),
                h("h2", {}, "Expectations"), expectations(roles),
                mayAdminister ? [h("h2", {}, "What roles see"), visibility(roles)] : null,
            ]),
    };
}

function signInButton() {
    return session.token === null ? h("button", {type: "button", class: "primary", onclick: askToSignIn}, "Sign in …")
        : h("button", {type: "button", onclick: signOut}, "Sign out");
}

function withoutRules() {
    return h("div", {class: "note"},
        h("strong", {}, "The server has no access rules."),
        h("p", {}, "Everyone who reaches it may do everything. ", h("code", {}, "outcrop serve --access FILE"),
            " gives it rules, accounts and keys."));
}

function whoAmI() {
    if (identity.name === null) return h("p", {class: "quiet"}, "You aren't signed in.");
    const {name, account, roles, claims} = identity;
    const badges = roles.map((role) => [h("span", {class: "badge"}, role), " "]);
    const rows = [["You are", account === null ? name : h("a", {href: `#/object/${account}`}, name)]];
    if (roles.length > 0) rows.push(["Roles", badges]);
    rows.push(["Administers", model.mayAdminister ? "yes" : "no"]);
    if (Object.keys(claims).length > 0) rows.push(["Claims", h("code", {}, JSON.stringify(claims))]);
    const line = ([title, value]) => h("tr", {}, h("th", {scope: "row"}, title), h("td", {}, value));
    return h("table", {class: "plain"}, h("tbody", {}, rows.map(line)));
}

function seeAs(roles) {
    const input = h("input", {
        type: "text", placeholder: "role=member or users/7", "aria-label": "Role or account", list: "known-roles",
        $value: session.actAs ?? "",
    });
    const submit = async (event) => {
        event.preventDefault();
        const actAs = input.value.trim();
        const headers = actAs === "" ? {} : {"Act-As": actAs};
        try {
            await get("/api", {headers});
            session.change({actAs});
        } catch (error) {
            show(failure, problem(error));
        }
    };
    const failure = h("div");
    const end = () => session.change({actAs: null});
    const form = h("form", {class: "row", onsubmit: submit},
        h("span", {class: "spring"}, input),
        h("datalist", {id: "known-roles"}, roles.map((role) => h("option", {value: `role=${role}`}))),
        h("button", {class: "primary"}, "See it"),
        session.actAs === null ? null : h("button", {type: "button", onclick: end}, "Own view"));
    return [form, failure];
}

function keys() {
    return h("div", {class: "card"},
        h("p", {class: "quiet"},
            "Keys are made on the server, where they are shown once. New and revoked ones count within seconds."),
        command("outcrop keys add STORE --role editor --name laptop"),
        command("outcrop keys list STORE"),
        command("outcrop keys revoke STORE laptop"),
        h("p", {class: "quiet"}, "Rules are tested as code, with the expectations of this page:"),
        command("outcrop access check FILE --model MODEL"),
        command("outcrop access test FILE EXPECTATIONS --store STORE"));
}

function command(text) {
    return h("div", {class: "row"}, h("code", {class: "spring"}, text), copyButton(text));
}
