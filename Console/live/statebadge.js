// SPDX-License-Identifier: Apache-2.0

// Says whether a stream is connected.

import {h} from "../dom.js";

export class StateBadge {
    element = h("span", {class: "badge", role: "status"}, "connecting");

    /** @param {"live" | "waiting"} state */
    show(state) {
        this.element.className = `badge ${state === "live" ? "good" : "warn"}`;
        this.element.textContent = state === "live" ? "live" : "connecting again";
    }
}
