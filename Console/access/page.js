// SPDX-License-Identifier: Apache-2.0

// The page Access: who one is, signing in, the view of others, and what each role sees.

import {get, send} from "../api.js";
import {h, show} from "../dom.js";
import {memory} from "../memory.js";
import {currentVersion, model} from "../model.js";
import {session} from "../session.js";
import {askToSignIn, signOut} from "../signin.js";
import {copyButton, problem, table, toast} from "../widgets.js";

export async function page() {
    // Answers depend on the credential if the server has access rules.
    const {headers} = await send("/api");
    const hasRules = /authorization/i.test(headers.get("Vary") ?? "");
    const me = hasRules && session.token !== null ? await get("/api/auth/me").catch(() => null) : null;
    const roles = me?.roles?.length > 0 && memory.get("roles") === null ? me.roles : memory.get("roles", []);
    const act = session.token === null ? h("button", {class: "primary", onclick: askToSignIn}, "Sign in …")
        : h("button", {onclick: signOut}, "Sign out");
    return {title: "Access", element: h("div", {class: "page"},
        h("div", {class: "heading"}, h("h1", {}, "Access"), h("span", {class: "spring"}), hasRules ? act : null),
        h("div", {class: "columns2"}, h("div", {}, whoAmI(me, hasRules), hasRules ? [h("h2", {}, "See it as another"), seeAs(roles)] : null),
            h("div", {}, h("h2", {}, "Keys"), keys())),
        hasRules ? [h("h2", {}, "What roles see"), visibility(roles)] : null)};
}

function whoAmI(me, hasRules) {
    if (!hasRules) {
        return h("div", {class: "note"}, h("strong", {}, "The server has no access rules."), h("p", {}, "Everyone who reaches it may do everything. ",
            h("code", {}, "outcrop serve --access FILE"), " gives it rules, accounts and keys."));
    }
    if (me === null) return h("p", {class: "quiet"}, session.token === null ? "You aren't signed in." : "A key or token is used in this window.");
    const user = typeof me.user === "object" && me.user !== null ? me.user._id : me.user;
    const rows = [["You are", user ? h("a", {href: `#/object/${user}`}, user) : "no account"], ["Roles", (me.roles ?? []).map((role) => [h("span", {class: "badge"}, role), " "])]];
    if (Object.keys(me.claims ?? {}).length > 0) rows.push(["Claims", h("code", {}, JSON.stringify(me.claims))]);
    return h("table", {class: "plain"}, h("tbody", {}, rows.map(([name, value]) => h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, value)))));
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

/** What each role sees: the entities and properties of its own model. */
function visibility(known) {
    const place = h("div", {class: "scroll"});
    const input = h("input", {"aria-label": "Roles", placeholder: "public, member, editor", $value: known.join(", ")});
    async function find() {
        const roles = input.value.split(",").map((role) => role.trim()).filter(Boolean);
        memory.set("roles", roles);
        show(place, h("p", {class: "quiet"}, "Asking …"));
        try {
            const models = await Promise.all(roles.map((role) => get("/api/model", {headers: {"Act-As": `role=${role}`}})));
            const rows = model.entities.map((entity) => [entity.name, ...models.map((one) => seen(entity, currentVersion(one)))]);
            show(place, table(["Entity", ...roles], rows, "What roles see"),
                h("p", {class: "quiet"}, "Rules may bind objects to conditions, too; “See it as another” shows which objects a role sees."));
        } catch (error) {
            show(place, error.status === 403 || error.status === 401
                ? h("p", {class: "quiet"}, "Sign in with a role that administers to compare roles.") : problem(error));
        }
    }
    if (known.length > 0) queueMicrotask(find);
    const submit = (event) => {
        event.preventDefault();
        find();
    };
    return h("div", {}, h("form", {class: "row", onsubmit: submit}, h("span", {class: "spring"}, input), h("button", {}, "Compare")), place);
}

/** Which properties of an entity a model has. */
function seen(entity, version) {
    const shape = version.entities?.[entity.name];
    if (shape === undefined) return h("span", {class: "badge"}, "nothing");
    const own = [...entity.ownAttributes, ...entity.ownRelationships].map((property) => property.name);
    const hidden = own.filter((name) => !(name in (shape.attributes ?? {})) && !(name in (shape.relationships ?? {})));
    return hidden.length === 0 ? h("span", {class: "badge good"}, "all properties")
        : [h("span", {class: "badge warn"}, `${own.length - hidden.length} of ${own.length}`), " without ", hidden.join(", ")];
}
