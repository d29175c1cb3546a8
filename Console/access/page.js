// SPDX-License-Identifier: Apache-2.0

// The page Access: who one is, signing in, the view of others, and what each role may do.

import {APIError, get} from "../api.js";
import {h, show} from "../dom.js";
import {json} from "../format.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {session} from "../session.js";
import {askToSignIn, signOut} from "../signin.js";
import {copyButton, problem, toast} from "../widgets.js";

export async function page() {
    // Without rules or accounts the index has no such links.
    const {links} = model;
    const me = links.me === undefined ? null : await get(links.me).catch((error) => error);
    const rules = links.access === undefined ? null : await get(links.access).catch(() => null);
    const roles = rules?.roles ? Object.keys(rules.roles) : memory.get("roles", []);
    return {title: "Access", element: h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, "Access"), h("span", {class: "spring"}), session.token === null ? h("button", {class: "primary", onclick: askToSignIn}, "Sign in …") : h("button", {onclick: signOut}, "Sign out")),
        h("div", {class: "columns2"}, h("div", {}, whoAmI(me, rules), h("h2", {}, "See it as another"), seeAs(roles)), h("div", {}, h("h2", {}, "Keys"), keys())),
        h("h2", {}, "What roles may do"), permissions(roles), rules === null ? null : [h("h2", {}, "The rules"), h("pre", {class: "json card"}, json(rules))])};
}

function whoAmI(me, rules) {
    if (me === null || me instanceof APIError) {
        if (rules !== null) return h("p", {}, "This credential administers.");
        if (model.links.access === undefined && me === null && session.token === null) return h("div", {class: "note"}, h("strong", {}, "The server has no access rules."), h("p", {}, "Everyone who reaches it may do everything. ", h("code", {}, "outcrop serve --access FILE"), " gives it rules, accounts and keys."));
        return session.token === null ? h("p", {class: "quiet"}, "You aren't signed in.") : h("p", {}, "A key or token is used in this window.");
    }
    return h("table", {class: "plain"}, h("tbody", {}, h("tr", {}, h("th", {scope: "row"}, "You are"), h("td", {}, typeof me.user === "object" && me.user !== null ? h("a", {href: `#/object/${me.user._id}`}, me.user._id) : String(me.user ?? "no account"))), h("tr", {}, h("th", {scope: "row"}, "Roles"), h("td", {}, (me.roles ?? []).map((role) => h("span", {class: "badge"}, role)))), me.claims && Object.keys(me.claims).length > 0 ? h("tr", {}, h("th", {scope: "row"}, "Claims"), h("td", {}, h("code", {}, JSON.stringify(me.claims)))) : null));
}

function seeAs(roles) {
    const input = h("input", {placeholder: "role=member or users/7", "aria-label": "Role or account", list: "known-roles", $value: session.actAs ?? ""});
    return h("form", {class: "row", onsubmit: async (event) => {
        event.preventDefault();
        const former = session.actAs;
        session.actAs = input.value.trim() || null;
        try { await get("/api"); session.change({actAs: input.value.trim() || null}); } catch (error) { session.actAs = former; toast(error.message, "bad"); }
    }}, h("span", {class: "spring"}, input), h("datalist", {id: "known-roles"}, roles.map((role) => h("option", {value: `role=${role}`}))), h("button", {class: "primary"}, "See it"), session.actAs === null ? null : h("button", {type: "button", onclick: () => session.change({actAs: null})}, "Own view"));
}

function keys() {
    const line = (text) => h("div", {class: "row"}, h("code", {class: "spring"}, text), copyButton(text));
    return h("div", {class: "card"}, h("p", {class: "quiet"}, "Keys are made on the server, where they are shown once. New and revoked ones count within seconds."),
        line("outcrop keys add STORE --role editor --name laptop"), line("outcrop keys list STORE"), line("outcrop keys revoke STORE laptop"), h("p", {class: "quiet"}, "Rules are tested as code:"), line("outcrop access check FILE --model MODEL"), line("outcrop access test TESTS --access FILE --model MODEL"));
}

/** What each role may do with each entity, as its own OpenAPI document says. */
function permissions(known) {
    const place = h("div", {class: "scroll"});
    const input = h("input", {"aria-label": "Roles", placeholder: "public, member, editor", $value: known.join(", ")});
    async function find() {
        const roles = input.value.split(",").map((role) => role.trim()).filter(Boolean);
        memory.set("roles", roles);
        show(place, h("p", {class: "quiet"}, "Asking …"));
        try {
            const documents = await Promise.all(roles.map((role) => get("/openapi.json", {headers: {"Act-As": `role=${role}`}})));
            const may = (document, entity) => {
                const list = document.paths?.[`/api/${entity.path}`] ?? {}, one = document.paths?.[`/api/${entity.path}/{key}`] ?? {};
                return [["read", one.get ?? list.get], ["create", list.post], ["update", one.patch], ["delete", one.delete]].filter(([, operation]) => operation !== undefined).map(([verb]) => verb);
            };
            show(place, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, h("th", {}, "Entity"), roles.map((role) => h("th", {}, role)))), h("tbody", {}, model.entities.map((entity) => h("tr", {}, h("th", {scope: "row"}, entity.name), documents.map((document) => h("td", {}, may(document, entity).map((verb) => h("span", {class: `badge ${verb === "read" ? "good" : "warn"}`}, verb)))))))), h("p", {class: "quiet"}, "A verb may be bound to conditions on the objects; “See it as another” shows these."));
        } catch (error) { show(place, error.status === 403 || error.status === 401 ? h("p", {class: "quiet"}, "Sign in with a role that administers to compare roles.") : problem(error)); }
    }
    if (known.length > 0) queueMicrotask(find);
    return h("div", {}, h("form", {class: "row", onsubmit: (event) => { event.preventDefault(); find(); }}, h("span", {class: "spring"}, input), h("button", {}, "Compare")), place);
}
