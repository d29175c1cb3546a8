// SPDX-License-Identifier: Apache-2.0

// The page Live: a live query, the history as it grows, and charts of what the server does.

import {h} from "../dom.js";
import {tabs} from "../widgets.js";
import {HistoryFeed} from "./historyfeed.js";
import {LiveQuery} from "./livequery.js";
import {ServerCharts} from "./servercharts.js";

const PANELS = ["query", "history", "server"];

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parts: [name], parameters}) {
    const panels = [];
    const make = (panel) => {
        panels.push(panel);
        panel.start();
        return panel.element;
    };
    const changed = (index) => {
        const rest = index === 0 && parameters.size > 0 ? `?${parameters}` : "";
        history.replaceState(null, "", `#/live/${PANELS[index]}${rest}`);
    };
    const content = tabs("Live", [
        ["Live query", () => make(new LiveQuery(parameters))], ["History", () => make(new HistoryFeed())],
        ["Server", () => make(new ServerCharts())],
    ], {selected: Math.max(0, PANELS.indexOf(name)), changed});
    return {
        title: "Live", element: h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, "Live")), content),
        leave: () => panels.forEach((panel) => panel.leave()),
    };
}
