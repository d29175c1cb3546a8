// SPDX-License-Identifier: Apache-2.0

// The history of an object: when it was changed, by whom, and the values of then, which can be taken back.

import {dataPath, get, query, send} from "./api.js";
import {h, show} from "./dom.js";
import {ago, shown} from "./format.js";
import {confirm, problem, toast} from "./widgets.js";

export function history(object, entity, changed) {
    const list = h("ol", {class: "timeline"}), more = h("div");
    let since = null;
    async function read() {
        try {
            const answer = await get(`/api/${object._id}/history` + query({limit: 200, since}));
            const entries = answer.transactions.map((transaction) => entry(transaction));
            list.prepend(...entries.reverse());
            since = answer.token;
            show(more, answer.more ? h("button", {type: "button", class: "small", onclick: read}, "Later changes") : null);
            if (list.children.length === 0) show(list, h("li", {class: "quiet"}, "There is no history of it: it was made before histories were kept, or they have been trimmed."));
        } catch (error) { show(list, h("li", {}, error.status === 501 ? "This store keeps no history." : problem(error))); }
    }
    function entry(transaction) {
        const change = transaction.changes[0] ?? {change: "changed"};
        const values = h("div");
        return h("li", {}, h("div", {class: "row"}, h("strong", {}, change.change), change.properties ? h("span", {}, change.properties.join(", ")) : null, h("span", {class: "spring"}),
            h("span", {class: "time", title: transaction.time}, ago(transaction.time), transaction.author ? ` by ${transaction.author}` : ""),
            h("button", {type: "button", class: "small plain", onclick: () => compare(transaction, values)}, "Values of then")), values);
    }
    async function compare(transaction, element) {
        if (element.childElementCount > 0) { show(element); return; }
        try {
            const [then, now] = await Promise.all([get(`/api/${object._id}` + query({asOf: transaction.token})), get(dataPath(object._id))]);
            const differing = entity.properties.filter((property) => property.name in then && JSON.stringify(then[property.name]) !== JSON.stringify(now[property.name]));
            show(element, differing.length === 0 ? h("p", {class: "quiet"}, "The same as now.") : h("table", {class: "plain"}, h("thead", {}, h("tr", {}, h("th", {}, "Property"), h("th", {}, "Then"), h("th", {}, "Now"), h("th", {}))),
                h("tbody", {}, differing.map((property) => h("tr", {}, h("td", {}, property.name), h("td", {}, h("span", {class: "new"}, shown(then[property.name], property))), h("td", {}, shown(now[property.name], property)),
                    h("td", {}, property.isWritable && property.type !== "Binary" ? h("button", {type: "button", class: "small", onclick: () => restore({[property.name]: then[property.name]}, now)}, "Take back") : null))))));
        } catch (error) { show(element, problem(error)); }
    }
    async function restore(values, now) {
        const [name] = Object.keys(values);
        if (await confirm("Take back an earlier value", h("p", {}, `${name} becomes what it was then.`), "Take back", "primary") !== true) return;
        try { await send(dataPath(object._id), {method: "PATCH", body: {...values, _version: now._version}}); toast("Taken back."); changed(); } catch (error) { toast(error.message, "bad"); }
    }
    read();
    return h("div", {}, list, more);
}
