// SPDX-License-Identifier: Apache-2.0

// What this browser remembers: `memory` for good, as JSON, and `windowMemory` for this window, as text. A browser that
// refuses to remember anything, as private windows may, isn't an error.

const PREFIX = "outcrop.";

export const memory = {
    /**
     * @template T
     * @param {string} key
     * @param {T} [otherwise] The value if nothing is remembered.
     * @returns {T}
     */
    get(key, otherwise = null) {
        try {
            return JSON.parse(localStorage.getItem(PREFIX + key)) ?? otherwise;
        } catch {
            return otherwise;
        }
    },

    set(key, value) {
        try {
            localStorage.setItem(PREFIX + key, JSON.stringify(value));
        } catch {
            // It is forgotten with the page.
        }
    },
};

export const windowMemory = {
    /** @returns {string | null} */
    get(key) {
        try {
            return sessionStorage.getItem(PREFIX + key);
        } catch {
            return null;
        }
    },

    /** @param {string | null} value Nothing is remembered for null. */
    set(key, value) {
        try {
            if (value === null) sessionStorage.removeItem(PREFIX + key);
            else sessionStorage.setItem(PREFIX + key, value);
        } catch {
            // It is forgotten with the page.
        }
    },
};
