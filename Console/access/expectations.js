// SPDX-License-Identifier: Apache-2.0

// Expectations of the rules, which the server compares with them. Their file is that of `outcrop access test`.

import {get} from "../api.js";
import {h, show} from "../dom.js";
import {icon} from "../icons.js";
import {readJSON, writeJSON} from "../json.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {Turns} from "../turns.js";
import {download, problem} from "../widgets.js";

const KEY = "expectations";
const VERBS = ["read", "create", "update", "delete"];

/** @param {string[]} roles The names of the roles. */
export function expectations(roles) {
    const kept = memory.get(KEY);
    /** @type {Array<Record<string, any>>} */
    let list = typeof kept === "string" ? readJSON(kept) : [example(roles)];
    const rows = h("tbody");
    const turns = new Turns();
    const outcome = h("div", {"aria-live": "polite"});

    function changed() {
        turns.begin();
        memory.set(KEY, writeJSON(list));
        show(outcome);
    }

    function showRows() {
        show(rows, list.map((expectation) => row(expectation, changed, () => {
            list = list.filter((one) => one !== expectation);
            changed();
            showRows();
        })));
    }

    function add() {
        list.push(list.length === 0 ? example(roles) : readJSON(writeJSON(list[list.length - 1])));
        changed();
        showRows();
        rows.lastElementChild.querySelector("input").focus();
    }

    async function run(event) {
        event.preventDefault();
        const isLatest = turns.begin();
        show(outcome, h("span", {class: "quiet"}, "Testing …"));
        try {
            const {ok, results} = await get("/api/auth/rules/test", {method: "POST", body: list});
            if (!isLatest()) return;
            results.forEach((result, place) => showResult(rows.children[place], result));
            const wrong = results.filter((result) => !result.met).length;
            show(outcome, ok ? h("span", {class: "badge good"}, `${results.length} as expected`)
                : h("span", {class: "badge bad"}, `${wrong} of ${results.length} not as expected`));
        } catch (error) {
            if (isLatest()) show(outcome, problem(error));
        }
    }

    const save = () => download(new Blob([writeJSON(list, "") + "\n"]), "expectations.json");
    const file = h("input", {
        type: "file", accept: ".json,application/json", hidden: true, "aria-label": "A file of expectations",
        onchange: async () => {
            try {
                const read = readJSON(await file.files[0].text());
                const isList = Array.isArray(read) && read.every(isExpectation);
                if (!isList) throw new Error("It isn't a list of expectations.");
                list = read;
                changed();
                showRows();
            } catch (error) {
                show(outcome, problem(new Error(`The file can't be read: ${error.message}`)));
            }
            file.value = "";
        },
    });

    showRows();
    const heads = ["Who", "", "What", "Object or entity", "Result", ""];
    return h("form", {onsubmit: run},
        h("datalist", {id: "expectation-roles"}, roles.map((role) => h("option", {value: role}))),
        h("div", {class: "scroll"}, h("table", {class: "plain expectations", "aria-label": "Expectations"},
            h("thead", {}, h("tr", {}, heads.map((head) => h("th", {scope: "col"}, head)))), rows)),
        h("div", {class: "row"},
            h("button", {class: "primary"}, "Test"),
            h("button", {type: "button", onclick: add}, icon("add"), "Expectation"),
            h("span", {class: "spring"}, outcome),
            h("button", {type: "button", class: "small", onclick: save}, "Download"),
            h("button", {type: "button", class: "small", onclick: () => file.click()}, "Read a file …"), file));
}

function row(expectation, changed, remove) {
    const input = (label, value, set, attributes) => h("input", {
        type: "text", "aria-label": label, required: true, $value: value, ...attributes,
        oninput: (event) => {
            set(event.target.value.trim());
            clear();
            changed();
        },
    });
    const select = (label, choices, value, set) => h("select", {
        "aria-label": label,
        onchange: (event) => {
            set(event.target.value);
            clear();
            changed();
        },
    }, choices.map(([choice, text]) => h("option", {value: choice, selected: choice === value}, text)));
    const result = h("td", {class: "result"});
    const clear = () => show(result);
    const subject = input("Object or entity", expectation.object ?? expectation.entity ?? "",
        (text) => setSubject(expectation, text), {placeholder: "posts/1", spellcheck: "false"});
    const verb = select("What", VERBS.map((one) => [one, one]), expectation.may, (may) => {
        expectation.may = may;
        setSubject(expectation, subject.value.trim());
    });
    return h("tr", {},
        h("td", {}, input("Who", subjectText(expectation.as), (text) => setIdentity(expectation, text),
            {list: "expectation-roles", placeholder: "member or users/7", spellcheck: "false"})),
        h("td", {}, select("Expected", [["true", "may"], ["false", "may not"]], String(expectation.expect),
            (value) => { expectation.expect = value === "true"; })),
        h("td", {}, verb), h("td", {}, subject), result,
        h("td", {}, h("button", {
            type: "button", class: "icon-button", "aria-label": "Remove the expectation", onclick: remove,
        }, icon("close"))));
}

function showResult(element, result) {
    const deciding = result.rules.map((rule) => `${rule.role}: ${[rule.where, rule.check]
        .filter((one) => one !== "TRUEPREDICATE").join(", afterwards ") || "always"}`);
    show(element.querySelector(".result"),
        h("span", {class: `badge ${result.met ? "good" : "bad"}`}, result.met ? "as expected" : result.reason),
        deciding.length === 0 ? null : h("div", {class: "quiet"}, "By the rules for ", deciding.join("; "), "."));
}

/** An expectation to begin with: that those with the first role may not create the first entity's objects. */
function example(roles) {
    const entity = model.entities.find((one) => !one.isAbstract)?.name ?? "";
    return {as: {roles: roles.slice(0, 1)}, may: "create", entity, expect: false};
}

function isExpectation(value) {
    return typeof value === "object" && value !== null && typeof value.as === "object" && value.as !== null;
}

/** The roles, and the account: `users/7` or `member, editor`. */
function subjectText({user, roles = []}) {
    return [user, ...roles].filter(Boolean).join(", ");
}

function setIdentity(expectation, text) {
    const words = text.split(",").map((word) => word.trim()).filter((word) => word !== "");
    const user = words.find((word) => word.includes("/"));
    const roles = words.filter((word) => !word.includes("/"));
    const {claims} = expectation.as;
    expectation.as = {
        ...(user === undefined ? {} : {user}), ...(user !== undefined && roles.length === 0 ? {} : {roles}),
        ...(claims === undefined ? {} : {claims}),
    };
}

function setSubject(expectation, text) {
    delete expectation.object;
    delete expectation.entity;
    expectation[expectation.may === "create" ? "entity" : "object"] = text;
}
