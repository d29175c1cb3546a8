// SPDX-License-Identifier: Apache-2.0

// The colors: those of the system, or light or dark ones if the person has chosen so.

import {memory} from "./memory.js";

export const THEMES = [["auto", "System colors"], ["light", "Light"], ["dark", "Dark"]];

/** @returns {"auto" | "light" | "dark"} */
export function theme() {
    return memory.get("theme", "auto");
}

/** @param {string} name */
export function setTheme(name) {
    memory.set("theme", name);
    applyTheme();
}

export function applyTheme() {
    document.documentElement.dataset.theme = theme();
}
