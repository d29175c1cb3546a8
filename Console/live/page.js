// SPDX-License-Identifier: Apache-2.0

// The page Live: live queries, the history as it grows, and charts of what the server does.

import {dataPath, get, open, query} from "../api.js";
import {chart} from "../chart.js";
import {h, show} from "../dom.js";
import {bytes, counted, number, reference, shown} from "../format.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {predicateField} from "../predicatefield.js";
import {listen} from "../stream.js";
import {problem, tabs} from "../widgets.js";

export async function page(place) {
    const aborts = [];
    const begin = () => { const abort = new AbortController(); aborts.push(abort); return abort; };
    const names = ["query", "history", "server"];
    const panels = tabs("Live", [["Live query", () => liveQuery(begin, place.parameters)], ["History", () => changes(begin)], ["Server", () => server(begin)]], {selected: Math.max(0, names.indexOf(place.parts[0])), changed: (index) => history.replaceState(null, "", `#/live/${names[index]}${index === 0 && place.parameters.size > 0 ? "?" + place.parameters : ""}`)});
    return {title: "Live", element: h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, "Live")), panels), leave: () => aborts.forEach((abort) => abort.abort())};
}

function stateBadge() {
    const element = h("span", {class: "badge", role: "status"}, "connecting");
    return {element, set: (state) => { element.className = `badge ${state === "live" ? "good" : "warn"}`; element.textContent = state === "live" ? "live" : "connecting again"; }};
}

function liveQuery(begin, parameters) {
    let entity = model.find(parameters.get("entity") ?? memory.get("entity")) ?? model.entities[0];
    const choose = h("select", {"aria-label": "Entity", onchange: () => { entity = model.find(choose.value); sort.value = ""; start(); }}, model.entities.map((one) => h("option", {value: one.name, selected: one === entity}, one.name)));
    const where = predicateField(() => entity, parameters.get("where") ?? "", () => start());
    const sort = h("input", {"aria-label": "Sort", placeholder: "Sort: -views", $value: parameters.get("sort") ?? "", onchange: () => start()});
    const limit = h("input", {"aria-label": "Limit", type: "number", min: 1, max: 1000, $value: "20", onchange: () => start()});
    const state = stateBadge(), list = h("div", {class: "scroll"}), told = h("span", {class: "quiet"});
    let abort = null, items = [], events = 0;

    async function start() {
        abort?.abort();
        abort = begin();
        const mine = abort;
        items = [];
        events = 0;
        const columns = entity.columns.slice(0, 7);
        const select = columns.map((one) => { const title = one.kind === "relationship" ? model.find(one.destination)?.naming : undefined; return title ? `${one.name}.${title.name}` : one.name; }).join(",");
        try {
            await listen(dataPath(`${entity.path}/live`) + query({where: where.input.value, sort: sort.value, limit: limit.value, select}), mine.signal, (event) => {
                where.fail(null);
                events += 1;
                const fresh = apply(event);
                show(told, `${counted(items.length, "object")}, ${counted(events, "event")}`);
                show(list, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, columns.map((one) => h("th", {}, one.name)))), h("tbody", {}, items.map((item) => h("tr", {class: fresh.has(item._id) ? "fresh" : ""}, columns.map((one, place) => h("td", {}, place === 0 ? reference(item) : shown(item[one.name], one))))))));
            }, state.set);
        } catch (error) { where.fail(error.code === "predicate" ? error : null); show(list, problem(error)); }
    }

    /** Applies an event as the guide says: removals by their places before it, then insertions, then updates. */
    function apply({event, data}) {
        const fresh = new Set();
        if (event === "result" || event === "reset") items = data.items;
        else if (event === "change") {
            const next = items.slice(), moved = new Map();
            const removed = data.changes.filter((change) => "delete" in change || "move" in change).map((change) => change.delete ?? change.move.from).map(Number).sort((one, other) => other - one);
            for (const change of data.changes) if ("move" in change) moved.set(Number(change.move.to), change.object ?? items[Number(change.move.from)]);
            for (const place of removed) next.splice(place, 1);
            for (const change of data.changes) if ("insert" in change) moved.set(Number(change.insert), change.object);
            for (const place of [...moved.keys()].sort((one, other) => one - other)) { next.splice(place, 0, moved.get(place)); fresh.add(moved.get(place)._id); }
            for (const change of data.changes) if ("update" in change) { next[Number(change.update)] = change.object; fresh.add(change.object._id); }
            items = next;
        }
        return fresh;
    }
    start();
    return h("div", {}, h("div", {class: "row card"}, h("span", {}, choose), h("span", {class: "spring"}, where.element, where.failure), h("span", {}, sort), h("span", {}, limit)), h("div", {class: "row"}, state.element, told), list);
}

function changes(begin) {
    const state = stateBadge(), list = h("ol", {class: "timeline"});
    const quiet = h("li", {class: "quiet"}, "Nothing was saved within the last hour. An object's page has all of its history.");
    const entry = (transaction, isFresh) => h("li", {class: isFresh ? "fresh" : ""}, h("div", {class: "row"}, h("span", {class: "time"}, new Date(transaction.time).toLocaleString()), transaction.author ? h("span", {class: "badge"}, transaction.author) : null, h("span", {class: "quiet"}, counted(transaction.changes.length, "change"))),
        h("div", {}, transaction.changes.slice(0, 12).map((change) => [h("span", {class: `badge ${{inserted: "good", deleted: "bad", updated: "warn"}[change.change]}`}, change.change), " ", change.change === "deleted" ? change._id : reference(change._id), change.properties ? h("span", {class: "quiet"}, ` ${change.properties.join(", ")} `) : " "]), transaction.changes.length > 12 ? `and ${transaction.changes.length - 12} more` : null));
    (async () => {
        try {
            const hour = new Date(Date.now() - 3_600_000).toISOString();
            const recent = await get("/api/history" + query({from: hour, limit: 100}));
            const isQuiet = recent.transactions.length === 0;
            show(list, recent.transactions.map((one) => entry(one, false)).reverse(), isQuiet ? quiet : null);
            await listen("/api/history/stream" + query({since: recent.token}), begin().signal, (event) => {
                if (event.event !== "transaction") return;
                quiet.remove();
                list.prepend(entry(event.data, true));
                while (list.children.length > 200) list.lastChild.remove();
            }, state.set);
        } catch (error) { state.element.hidden = true; show(list, h("li", {}, error.status === 403 ? "The history as a whole is for those who administer." : error.status === 501 ? "The stores keep no history." : problem(error))); }
    })();
    return h("div", {}, h("div", {class: "row"}, state.element, h("span", {class: "quiet"}, "the last hour, and what is saved from now on")), list);
}

const KEPT = 90;

function server(begin) {
    const place = h("div"), abort = begin(), series = new Map();
    let before = null;
    const add = (name, value) => { const values = series.get(name) ?? []; values.push(value); if (values.length > KEPT) values.shift(); series.set(name, values); };
    async function look() {
        try {
            const [stats, text] = await Promise.all([get("/api/stats", {signal: abort.signal}), open("/metrics", {signal: abort.signal}).then((response) => response.text())]);
            const metrics = parsed(text), now = performance.now();
            if (before !== null) {
                const seconds = (now - before.now) / 1000, rate = (name) => Math.max(0, (Number(stats[name]) - Number(before.stats[name])) / seconds);
                add("requests a second", rate("requests"));
                add("statements a second", rate("statements"));
                const hits = Number(stats.cacheHits) - Number(before.stats.cacheHits), misses = Number(stats.cacheMisses) - Number(before.stats.cacheMisses);
                add("rows from the cache, %", hits + misses === 0 ? series.get("rows from the cache, %")?.at(-1) ?? 100 : 100 * hits / (hits + misses));
                add("saves a second", rate("saves"));
                add("sent kB a second", rate("sentBytes") / 1000);
            }
            add("median, ms", 1000 * (metrics['outcrop_http_request_duration_seconds{quantile="0.5"}'] ?? 0));
            add("99 %, ms", 1000 * (metrics['outcrop_http_request_duration_seconds{quantile="0.99"}'] ?? 0));
            const memory_ = metrics.process_resident_memory_bytes;
            if (memory_ !== undefined) add("memory, MB", memory_ / 1e6);
            before = {stats, now};
            const operations = Object.entries(stats.operations ?? {});
            show(place, h("div", {class: "figures"}, [["requests", number(stats.requests)], ["statements", number(stats.statements)], ["cached rows", number(stats.cachedRows)], ["cache", bytes(stats.cachedBytes)], ["sent", bytes(stats.sentBytes)]].map(([name, value]) => h("div", {class: "card figure"}, h("b", {}, value), h("span", {class: "quiet"}, name)))),
                h("div", {class: "cards charts"}, [...series].map(([name, values]) => h("div", {class: "card"}, h("div", {class: "row"}, h("strong", {}, name), h("span", {class: "spring"}), h("span", {class: "number"}, values.at(-1).toLocaleString(undefined, {maximumFractionDigits: 2}))), chart("line", values.map((value, index) => ({label: String(index), value})), name, {width: 300, height: 64, isSmall: true})))),
                h("h2", {}, "Operations"), h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Operation", "Count", "Average ms", "50 % ms", "99 % ms"].map((name) => h("th", {}, name)))), h("tbody", {}, operations.map(([name, one]) => h("tr", {}, h("td", {}, name), [one.count, one.average, one.p50, one.p99].map((value) => h("td", {class: "number"}, number(value)))))))));
        } catch (error) { if (abort.signal.aborted) return; show(place, error.status === 403 ? h("p", {class: "quiet"}, "Statistics are for those who administer.") : problem(error)); if (error.status === 403) return; }
        setTimeout(() => { if (!abort.signal.aborted) look(); }, 2000);
    }
    look();
    return place;
}

function parsed(text) {
    return Object.fromEntries(text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => { const place = line.lastIndexOf(" "); return [line.slice(0, place), Number(line.slice(place + 1))]; }));
}
