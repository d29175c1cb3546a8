// SPDX-License-Identifier: Apache-2.0

// What the server does: figures, charts of the last minutes, and its operations.

import {get, open} from "../api.js";
import {chart} from "../chart.js";
import {h, show} from "../dom.js";
import {bytes, number, roundedNumber} from "../format.js";
import {problem, table} from "../widgets.js";

/** How many measurements a chart has. */
const KEPT = 90;
/** Milliseconds between measurements. */
const PAUSE = 2000;
const MEDIAN = 'outcrop_http_request_duration_seconds{quantile="0.5"}';
const SLOW = 'outcrop_http_request_duration_seconds{quantile="0.99"}';
const MEMORY = "process_resident_memory_bytes";
const HIT_RATE = "rows from the cache, %";

export class ServerCharts {
    element = h("div");
    #abort = new AbortController();
    /** @type {Map<string, number[]>} */
    #series = new Map();
    #before = null;

    /** Measures until the page is left. */
    async start() {
        const {signal} = this.#abort;
        while (!signal.aborted) {
            try {
                await this.#measure(signal);
            } catch (error) {
                if (signal.aborted) return;
                if (error.status === 403) {
                    show(this.element, h("p", {class: "quiet"}, "Statistics are for those who administer."));
                    return;
                }
                show(this.element, problem(error));
            }
            await new Promise((resolve) => setTimeout(resolve, PAUSE));
        }
    }

    leave() {
        this.#abort.abort();
    }

    async #measure(signal) {
        const [stats, text] = await Promise.all([
            get("/api/stats", {signal}), open("/metrics", {signal}).then((response) => response.text()),
        ]);
        const now = performance.now();
        if (this.#before !== null) this.#addRates(stats, (now - this.#before.now) / 1000);
        this.#addMetrics(parsedMetrics(text));
        this.#before = {stats, now};
        show(this.element, figures(stats), this.#charts(), operations(stats));
    }

    #add(name, value) {
        const values = this.#series.get(name) ?? [];
        this.#series.set(name, [...values, value].slice(-KEPT));
    }

    #addRates(stats, seconds) {
        const before = this.#before.stats;
        const difference = (name) => Math.max(0, Number(stats[name]) - Number(before[name]));
        this.#add("requests a second", difference("requests") / seconds);
        this.#add("statements a second", difference("statements") / seconds);
        const hits = difference("cacheHits");
        const all = hits + difference("cacheMisses");
        this.#add(HIT_RATE, all === 0 ? this.#series.get(HIT_RATE)?.at(-1) ?? 100 : 100 * hits / all);
        this.#add("saves a second", difference("saves") / seconds);
        this.#add("sent kB a second", difference("sentBytes") / 1000 / seconds);
    }

    #addMetrics(metrics) {
        this.#add("median, ms", 1000 * (metrics[MEDIAN] ?? 0));
        this.#add("99 %, ms", 1000 * (metrics[SLOW] ?? 0));
        if (metrics[MEMORY] !== undefined) this.#add("memory, MB", metrics[MEMORY] / 1e6);
    }

    #charts() {
        return h("div", {class: "cards charts"}, [...this.#series].map(([name, values]) => {
            const items = values.map((value, place) => ({label: String(place), value}));
            const spark = chart("line", items, name, {width: 300, height: 64, isSmall: true});
            const last = h("span", {class: "number"}, roundedNumber(values.at(-1)));
            return h("div", {class: "card"}, h("div", {class: "row"}, h("strong", {}, name),
                h("span", {class: "spring"}), last), spark);
        }));
    }
}

function figures({requests, statements, cachedRows, cachedBytes, sentBytes}) {
    const all = [
        ["requests", number(requests)], ["statements", number(statements)], ["cached rows", number(cachedRows)],
        ["cache", bytes(cachedBytes)], ["sent", bytes(sentBytes)],
    ];
    const figure = ([name, value]) =>
        h("div", {class: "card figure"}, h("b", {}, value), h("span", {class: "quiet"}, name));
    return h("div", {class: "figures"}, all.map(figure));
}

function operations({operations: all = {}}) {
    const heads = ["Operation", "Count", "Average ms", "50 % ms", "99 % ms"];
    const rows = Object.entries(all).map(([name, {count, average, p50, p99}]) =>
        [name, ...[count, average, p50, p99].map((value) => roundedNumber(Number(String(value))))]);
    return [h("h2", {}, "Operations"), table(heads, rows, "Operations", {numbers: new Set([1, 2, 3, 4])})];
}

/** The values of metrics by name. */
function parsedMetrics(text) {
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(lines.map((line) => {
        const place = line.lastIndexOf(" ");
        return [line.slice(0, place), Number(line.slice(place + 1))];
    }));
}
