// SPDX-License-Identifier: Apache-2.0

// The page Drafts: the open ones, and one with its changes, conflicts and children.

import {get, send} from "../api.js";
import {h, show} from "../dom.js";
import {ago, counted, reference, shown} from "../format.js";
import {model} from "../model.js";
import {events, reportChange, session} from "../session.js";
import {listen} from "../stream.js";
import {confirm, menu, problem, toast} from "../widgets.js";

export async function page(place) { return place.parts[0] === undefined ? list() : one(place.parts[0]); }

async function list() {
    const answer = await get("/api/contexts");
    const name = h("input", {placeholder: "Name, for people", "aria-label": "Name of the draft", maxlength: 200});
    const merges = h("input", {type: "checkbox", $checked: true});
    const open = async (event) => {
        event.preventDefault();
        try {
            const draft = await send("/api/contexts", {method: "POST", body: {...(name.value.trim() ? {name: name.value.trim()} : {}), ...(merges.checked ? {} : {automaticallyMergesChanges: false})}});
            session.change({draft: draft.value.context});
            location.hash = `#/drafts/${draft.value.context}`;
        } catch (error) { toast(error.message, "bad"); }
    };
    const rows = answer.items.map((draft) => h("tr", {}, h("td", {}, h("a", {href: `#/drafts/${draft.context}`}, draft.name ?? draft.context), session.draft === draft.context ? h("span", {class: "badge warn"}, "you edit it") : null), h("td", {}, summary(draft)), h("td", {}, draft.parent ? h("a", {href: `#/drafts/${draft.parent}`}, draft.parent) : ""), h("td", {}, draft.created ? ago(draft.created) : ""), h("td", {}, draft.expires ? ago(draft.expires) : "")));
    return {title: "Drafts", element: h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, "Drafts")),
        h("p", {class: "quiet"}, "A draft holds changes of any number of objects, which others don't see until it is saved. While you edit one, all pages show the data as they are in it."),
        h("form", {class: "row card", onsubmit: open}, h("span", {class: "spring"}, name), h("label", {class: "row", title: "Otherwise it stays on what it has read, and its save finds conflicts"}, merges, "shows what others save"), h("button", {class: "primary", "data-key": "n"}, "Open a draft")),
        rows.length === 0 ? h("p", {class: "quiet"}, "No draft is open.") : h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Draft", "Changes", "Parent", "Opened", "Ends, unless used"].map((head) => h("th", {}, head)))), h("tbody", {}, rows))),
        (answer.lost ?? []).length === 0 ? null : [h("h2", {}, "Drafts that can't be read"), answer.lost.map((lost) => h("p", {}, h("code", {}, lost.context ?? lost.name), " ", lost.reason))])};
}

function summary(draft) {
    const parts = [draft.inserted && `${draft.inserted} new`, draft.updated && `${draft.updated} changed`, draft.deleted && `${draft.deleted} deleted`, draft.conflicts && counted(draft.conflicts, "conflict")].filter(Boolean);
    return parts.length === 0 ? h("span", {class: "quiet"}, "none") : parts.join(", ");
}

async function one(context) {
    const path = `/api/contexts/${encodeURIComponent(context)}`;
    const head = h("div", {class: "heading"}), result = h("div", {"aria-live": "polite"}), body = h("div"), merged = h("ol", {class: "timeline"});
    const abort = new AbortController();
    let policy = "";

    async function draw() {
        let state, changes;
        try { [state, changes] = await Promise.all([get(path), get(`${path}/changes`)]); }
        catch (error) { show(body, problem(error)); show(head, h("h1", {}, "Draft")); if (error.status === 404 || error.status === 410) session.draft === context && session.change({draft: null}); return; }
        const isMine = session.draft === context;
        show(head, h("a", {href: "#/drafts"}, "Drafts"), h("span", {class: "quiet"}, "/"), h("h1", {}, state.name ?? state.context), h("span", {class: "badge"}, state.context), state.automaticallyMergesChanges ? null : h("span", {class: "badge"}, "stays on its base"), h("span", {class: "spring"}),
            isMine ? h("button", {onclick: () => session.change({draft: null})}, "Leave") : h("button", {class: "primary", onclick: () => session.change({draft: context})}, "Edit in it"),
            h("button", {disabled: state.undo === 0, onclick: act("undo")}, `Undo${state.undo ? ` ${state.undo}` : ""}`), h("button", {disabled: state.redo === 0, onclick: act("redo")}, `Redo${state.redo ? ` ${state.redo}` : ""}`),
            h("button", {onclick: validate}, "Check"), h("button", {class: "primary", disabled: !state.hasChanges, onclick: save}, policy === "" ? "Save" : `Save (${policy})`),
            menu("⋯", [{label: "Open a child draft", action: child}, {label: "Read again", action: act("refresh", {})}, {label: "Discard its changes", action: act("rollback")}, null, {label: "End it", action: end}], {"aria-label": "More"}));
        const parts = [
            changes.inserted.length > 0 ? [h("h2", {}, "New"), changes.inserted.map(inserted)] : null,
            changes.updated.length > 0 ? [h("h2", {}, "Changed"), changes.updated.map(updated)] : null,
            changes.deleted.length > 0 ? [h("h2", {}, "Deleted"), h("ul", {}, changes.deleted.map((id) => h("li", {}, h("span", {class: "old"}, id))))] : null,
        ];
        show(body, state.parent ? h("p", {}, "Its parent is ", h("a", {href: `#/drafts/${state.parent}`}, state.parent), "; saving writes into that.") : null,
            state.children.length > 0 ? h("p", {}, "Children: ", state.children.map((name) => [h("a", {href: `#/drafts/${name}`}, name), " "])) : null,
            state.notice ? h("p", {class: "note"}, state.notice) : null, parts.every((part) => part === null) ? h("p", {class: "quiet"}, "Nothing is pending. ", isMine ? "Edit objects on the page Data; their changes appear here." : "Edit in it, and change objects on the page Data.") : parts);
    }

    const act = (verb, sent) => async () => {
        try { await send(`${path}/${verb}`, {method: "POST", ...(sent === undefined ? {} : {body: sent})}); show(result); changed(); }
        catch (error) { show(result, problem(error)); }
    };
    const changed = () => { draw(); reportChange(); };

    async function validate() {
        try {
            const answer = await get(`${path}/validate`, {method: "POST"});
            show(result, answer.valid ? h("p", {class: "badge good"}, "It can be saved.") : h("div", {class: "problem"}, h("strong", {}, "It can't be saved yet."), h("ul", {}, answer.errors.map((error) => h("li", {}, reference(error.object), " ", error.message)))));
        } catch (error) { show(result, problem(error)); }
    }

    async function save() {
        try {
            const answer = await send(`${path}/save`, {method: "POST", headers: policy === "" ? {} : {Prefer: `merge=${policy}`}});
            const ids = Object.entries(answer.value?.ids ?? {});
            show(result, h("p", {class: "badge good"}, "Saved."), ids.length === 0 ? null : h("p", {}, "New objects: ", ids.map(([, id]) => [reference(id), " "])));
            policy = "";
            changed();
        } catch (error) { show(result, error.status === 409 ? conflicts(error) : problem(error)); }
    }

    /** Both values of each property side by side, with a choice. */
    function conflicts(error) {
        const chosen = new Map();
        const tables = error.errors.filter((one) => one.properties).map((one) => {
            const entity = model.entityOf(one.object);
            return [h("h3", {}, reference(one.object)), h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Property", "Was", "Yours", "Stored"].map((name) => h("th", {}, name)))), h("tbody", {}, Object.entries(one.properties).map(([name, values]) => {
                const property = entity?.property(name), group = `${one.object} ${name}`;
                chosen.set(group, {object: one.object, version: one.storedVersion, name, value: values.requested ?? values.new});
                const choice = (label, value, isChosen) => h("label", {class: "row"}, h("input", {type: "radio", name: group, "aria-label": `${name}: ${label}`, $checked: isChosen, onchange: () => { chosen.get(group).value = value; }}), h("span", {}, shown(value, property)));
                return h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, shown(values.base, property)), h("td", {}, choice("yours", values.requested ?? values.new ?? null, true)), h("td", {}, choice("stored", values.stored ?? null, false)));
            })))];
        });
        const resolve = async () => {
            try {
                const bodies = new Map();
                for (const {object, version, name, value} of chosen.values()) bodies.set(object, {...(bodies.get(object) ?? {_version: version}), [name]: value !== null && typeof value === "object" && value._id ? value._id : value});
                for (const [object, values] of bodies) await send(`${path}/${object}`, {method: "PATCH", body: values});
                await save();
            } catch (again) { show(result, problem(again)); }
        };
        return h("div", {class: "card", role: "alert"}, h("h2", {}, "Others have changed the same"), h("p", {class: "quiet"}, error.message), tables, h("div", {class: "buttons"},
            ["store", "object", "overwrite", "rollback"].map((name) => h("button", {class: "small", title: {store: "Property by property, the stored value counts", object: "Property by property, yours counts", overwrite: "Your objects are written as they are", rollback: "Your edits of these objects are dropped"}[name], onclick: () => { policy = name; save(); }}, `Save with ${name}`)),
            tables.length === 0 ? null : h("button", {class: "primary", onclick: resolve}, "Save the chosen values")));
    }

    function inserted(object) {
        const entity = model.find(object._entity);
        const values = (entity?.properties ?? []).filter((property) => object[property.name] !== null && object[property.name] !== undefined);
        return h("div", {class: "card"}, h("div", {class: "row"}, reference(object), h("span", {class: "badge good"}, object._entity)), h("table", {class: "plain"}, h("tbody", {}, values.map((property) => h("tr", {}, h("th", {scope: "row"}, property.name), h("td", {}, h("span", {class: "new"}, shown(object[property.name], property))))))));
    }

    function updated(change) {
        const entity = model.entityOf(change._id);
        const line = ([name, value]) => {
            const property = entity?.property(name);
            if ("added" in value) return h("tr", {}, h("th", {scope: "row"}, name), h("td", {colspan: 3}, value.added.map((id) => [h("span", {class: "new"}, "+ ", reference(id)), " "]), value.removed.map((id) => [h("span", {class: "old"}, "− ", reference(id)), " "]), value.reordered ? "reordered" : null));
            return h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, h("span", {class: "old"}, shown(value.old ?? value.base, property))), h("td", {}, h("span", {class: "new"}, shown(value.new, property))),
                h("td", {}, value.conflict ? [h("span", {class: "badge bad"}, "conflict"), " others: ", shown(value.stored, property), " ", h("button", {class: "small", onclick: async () => { try { await send(`${path}/${change._id}`, {method: "PATCH", body: {[name]: value.stored}}); changed(); } catch (error) { toast(error.message, "bad"); } }}, "Take theirs")] : null));
        };
        return h("div", {class: "card"}, h("div", {class: "row"}, reference(change._id), change.conflict ? h("span", {class: "badge bad"}, change.conflict === "deleted" ? "deleted by others" : "conflict") : null), h("table", {class: "plain"}, h("tbody", {}, Object.entries(change.properties ?? {}).map(line))));
    }

    async function child() {
        try { const answer = await send("/api/contexts", {method: "POST", body: {parent: context}}); session.change({draft: answer.value.context}); location.hash = `#/drafts/${answer.value.context}`; }
        catch (error) { toast(error.message, "bad"); }
    }
    async function end() {
        if (await confirm("End the draft", h("p", {}, "Its changes are lost, and its children end."), "End it") !== true) return;
        try { await send(path, {method: "DELETE"}); if (session.draft === context) session.change({draft: null}); location.hash = "#/drafts"; } catch (error) { toast(error.message, "bad"); }
    }

    await draw();
    const again = () => draw();
    events.addEventListener("changed", again);
    listen(`${path}/events`, abort.signal, (event) => {
        merged.prepend(h("li", {class: "fresh"}, h("span", {class: "time"}, new Date().toLocaleTimeString()), " ", JSON.stringify(event.data).slice(0, 300)));
        while (merged.children.length > 20) merged.lastChild.remove();
        draw();
    }).catch(() => {});
    return {title: "Draft", leave: () => { abort.abort(); events.removeEventListener("changed", again); }, element: h("div", {class: "page"}, head, result, h("div", {class: "columns2"}, body, h("div", {}, h("h2", {}, "What others save meanwhile"), merged)))};
}
