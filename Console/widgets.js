// SPDX-License-Identifier: Apache-2.0

// Parts that several pages have: messages, dialogs, tabs, fields and plain tables.

import {APIError} from "./api.js";
import {h, show, uniqueID} from "./dom.js";
import {icon} from "./icons.js";
import {session} from "./session.js";

/**
 * Shows a message for some seconds.
 *
 * @param {string} text
 * @param {"" | "bad"} [kind]
 * @param {{label: string, run: () => void}} [action] A button beside the message, such as Undo.
 * @returns {() => void} Removes it before.
 */
export function toast(text, kind = "", action) {
    const close = () => element.remove();
    const run = () => {
        close();
        action.run();
    };
    const button = action && h("button", {type: "button", class: "small", onclick: run}, action.label);
    const closer = h(
        "button", {type: "button", class: "icon-button", "aria-label": "Close the message", onclick: close},
        icon("close"),
    );
    const element = h(
        "div", {class: `toast ${kind}`, role: kind === "bad" ? "alert" : null}, h("span", {}, text), button, closer,
    );
    document.getElementById("toasts").append(element);
    setTimeout(close, kind === "bad" || action ? 10_000 : 4000);
    return close;
}

/** Removes the messages that are shown. */
export function closeToasts() {
    show(document.getElementById("toasts"));
}

/** Offers to sign in, if somebody else may be permitted what was refused; else null. @param {Error} error */
export function signInOffer(error) {
    const isRefused = error instanceof APIError && error.status === 403 && session.token === null;
    if (!isRefused) return null;
    const run = async () => (await import("./signin.js")).askToSignIn();
    return {label: "Sign in …", run};
}

/** Shows what went wrong for some seconds. @param {Error} error */
export function failureToast(error) {
    const messages = (error.errors ?? []).map((one) => one.message);
    const others = messages.filter((message) => !error.message.includes(message));
    toast([error.message, ...others].join(" "), "bad", signInOffer(error) ?? undefined);
}

/** What went wrong, with the server's hint and its errors. @param {Error} error */
export function problem(error) {
    const isAnswer = error instanceof APIError;
    const offer = signInOffer(error);
    const errors = isAnswer ? error.errors.filter((one) => one.message !== error.message).slice(0, 20) : [];
    const place = ({object, property}) => [object, property].filter(Boolean).join(".");
    const items = errors.map((one) => h("li", {}, one.object ? [h("code", {}, place(one)), " "] : null, one.message));
    return h("div", {class: "problem", role: "alert"},
        h("strong", {}, error.message), isAnswer && error.hint !== "" ? h("p", {}, error.hint) : null,
        items.length > 0 ? h("ul", {}, items) : null,
        offer === null ? null
            : h("p", {}, h("button", {type: "button", class: "small", onclick: offer.run}, offer.label)));
}

/**
 * Shows a dialog. `make` gets a function that closes it, and returns its content.
 *
 * @param {string} title
 * @param {(close: (result?: any) => void) => import("./dom.js").Child} make
 * @param {{isWide?: boolean}} [options]
 * @returns {Promise<any>} What it was closed with; undefined if it was dismissed.
 */
export function dialog(title, make, {isWide = false} = {}) {
    return new Promise((resolve) => {
        const before = document.activeElement;
        const heading = uniqueID("dialog");
        let result;
        const close = (value) => {
            result = value;
            element.close();
        };
        const closed = () => {
            element.remove();
            before?.focus?.();
            resolve(result);
        };
        const element = h("dialog", {class: isWide ? "wide" : null, "aria-labelledby": heading, onclose: closed});
        element.append(
            h("header", {}, h("h2", {id: heading}, title),
                h(
                    "button", {class: "icon-button", type: "button", "aria-label": "Close", onclick: () => close()},
                    icon("close"),
                )),
            h("div", {class: "content"}, make(close)),
        );
        document.body.append(element);
        element.showModal();
        element.querySelector("[autofocus]")?.focus();
    });
}

/**
 * Asks whether to do something.
 *
 * @param {string} title
 * @param {import("./dom.js").Child} content
 * @param {string} action The label of the button that does it.
 * @param {"danger" | "primary"} [kind]
 * @returns {Promise<boolean>}
 */
export async function confirm(title, content, action, kind = "danger") {
    const isConfirmed = await dialog(title, (close) => {
        const submit = (event) => {
            event.preventDefault();
            close(true);
        };
        return h("form", {onsubmit: submit}, content, h("div", {class: "buttons"},
            h("button", {type: "button", onclick: () => close(false)}, "Cancel"),
            h("button", {class: kind, autofocus: true}, action)));
    });
    return isConfirmed === true;
}

/**
 * Tabs over panels, which are made when they are first shown.
 *
 * @param {string} label
 * @param {Array<[string, () => import("./dom.js").Child]>} panels
 * @param {{selected?: number, changed?: (place: number) => void}} [options]
 */
export function tabs(label, panels, {selected = 0, changed = () => {}} = {}) {
    const made = new Map();
    const id = uniqueID("tab");
    const panel = h("div", {role: "tabpanel", class: "panel", tabindex: "0"});
    const buttons = panels.map(([name], place) => h("button", {
        type: "button", role: "tab", id: `${id}-${place}`, onclick: () => select(place),
        onkeydown: (event) => move(event, place),
    }, name));

    function move(event, place) {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (step === undefined) return;
        const next = (place + step + panels.length) % panels.length;
        select(next);
        buttons[next].focus();
    }

    function select(place) {
        buttons.forEach((button, other) => {
            button.setAttribute("aria-selected", String(place === other));
            button.tabIndex = place === other ? 0 : -1;
        });
        if (!made.has(place)) made.set(place, panels[place][1]());
        panel.setAttribute("aria-labelledby", `${id}-${place}`);
        show(panel, made.get(place));
        changed(place);
    }

    select(Math.min(Math.max(selected, 0), panels.length - 1));
    return h("div", {class: "tabs"}, h("div", {role: "tablist", "aria-label": label}, buttons), panel);
}

/**
 * A field: a label, a control, a note, and a place for a message about it.
 *
 * @param {string} label
 * @param {HTMLElement} control The element that has the value.
 * @param {{element?: HTMLElement, note?: import("./dom.js").Child, isRequired?: boolean}} [options]
 *   `element` is what is shown, if it isn't the control alone.
 * @returns {{element: HTMLElement, fail: (message: string) => void}} `fail("")` removes the message.
 */
export function field(label, control, {element = control, note = null, isRequired = false} = {}) {
    const id = control.id || uniqueID("field");
    const message = h("div", {class: "message", id: `${id}-message`, "aria-live": "polite"});
    control.id = id;
    control.setAttribute("aria-describedby", `${id}-message`);
    if (isRequired && /^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName)) control.setAttribute("aria-required", "true");
    const isLabelable = /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(control.tagName);
    const mark = isRequired ? h("span", {class: "required", title: "required"}, " *") : null;
    const text = isLabelable
        ? h("label", {for: id}, label, mark) : h("span", {class: "label", id: `${id}-label`}, label, mark);
    if (!isLabelable) {
        control.setAttribute("role", control.getAttribute("role") ?? "group");
        control.setAttribute("aria-labelledby", `${id}-label`);
    }
    return {
        element: h("div", {class: "field"}, text, element, note ? h("div", {class: "rules"}, note) : null, message),
        fail(wrong) {
            if (message.textContent !== wrong) show(message, wrong);
            if (isLabelable) control.setAttribute("aria-invalid", String(wrong !== ""));
        },
    };
}

/**
 * A plain table, for what fits on a page.
 *
 * @param {Array<import("./dom.js").Child>} heads
 * @param {Array<Array<import("./dom.js").Child>>} rows The first cell of each is the head of the row.
 * @param {string} [label]
 * @param {{numbers?: Set<number>}} [options] `numbers` has the places of columns that are aligned at the right.
 */
export function table(heads, rows, label, {numbers = new Set()} = {}) {
    const kind = (place) => numbers.has(place) ? "number" : null;
    const cell = (content, place) => place === 0
        ? h("th", {scope: "row", class: kind(place)}, content) : h("td", {class: kind(place)}, content);
    const head = (content, place) => h("th", {scope: "col", class: kind(place)}, content);
    const lines = rows.map((row) => h("tr", {}, row.map(cell)));
    return h("div", {class: "scroll"}, h("table", {class: "plain", "aria-label": label ?? null},
        h("thead", {}, h("tr", {}, heads.map(head))), h("tbody", {}, lines)));
}

/** A button that copies a text. @param {string | (() => string)} text */
export function copyButton(text, label = "Copy") {
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
            toast("Copied.");
        } catch {
            toast("The browser doesn't allow copying.", "bad");
        }
    };
    return h("button", {type: "button", class: "small", onclick: copy}, icon("copy"), label);
}

/** Hands a file to the person. @param {Blob} blob @param {string} name */
export function download(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = h("a", {href: address, download: name, hidden: true});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
