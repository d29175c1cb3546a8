// SPDX-License-Identifier: Apache-2.0

// The page Query: a fetch built by clicks or written, with its result, its chart, its SQL, its curl line and its Swift.

import {dataPath, query, send} from "../api.js";
import {h, show, showAgain} from "../dom.js";
import {equalityBadge} from "../equalitybadge.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {go} from "../navigation.js";
import {predicateField} from "../predicatefield.js";
import {Turns} from "../turns.js";
import {problem} from "../widgets.js";
import {builder} from "./builder.js";
import {resultOf} from "./result.js";

const FIELDS = ["sort", "limit", "select", "include", "group", "aggregate", "having", "search"];
const HINTS = {
    sort: "-views,title", limit: "50", select: "title,author.name", include: "author,tags(limit=3)",
    group: "author.name", aggregate: "n:count(_id),views:sum(views)", having: "n > 3", search: "words",
};

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parameters}) {
    const content = new Query(parameters);
    return {title: "Query", element: content.element, shown: () => { if (parameters.size > 0) content.run(); }};
}

class Query {
    element;
    #named;
    #entity;
    #where;
    #fields;
    #variables;
    #turns = new Turns();
    /** Values that were set by a link, such as `author=users/7`. @type {Record<string, string>} */
    #equalities = {};
    #badges = h("div", {class: "row"});
    #builder = h("div");
    #result = h("div", {class: "query-result", "aria-live": "polite"});

    /** @param {URLSearchParams} parameters */
    constructor(parameters) {
        this.#named = model.queries.find((one) => one.name === parameters.get("named")) ?? null;
        const name = this.#named?.entity ?? parameters.get("entity") ?? memory.get("entity");
        this.#entity = model.find(name) ?? model.entities[0];
        this.#where = predicateField(() => this.#entity, parameters.get("where") ?? "", () => {});
        const preset = (field) => parameters.get(field) ?? (field === "limit" ? "50" : "");
        this.#fields = new Map(FIELDS.map((field) => [field, this.#input(field, HINTS[field], preset(field))]));
        this.#variables = new Map((this.#named?.variables ?? [])
            .map((one) => [one.name, this.#input(one.name, one.type, parameters.get(one.name) ?? "")]));
        if (this.#named === null) this.#takeEqualities(parameters);
        this.element = h("div", {class: "page"}, this.#heading(), this.#form(), this.#result);
        this.#drawBuilder();
    }

    #takeEqualities(parameters) {
        for (const [name, value] of parameters) {
            if (!["entity", "where", ...FIELDS].includes(name)) this.#equalities[name] = value;
        }
        this.#drawBadges();
    }

    #drawBadges() {
        const remove = (name) => {
            delete this.#equalities[name];
            this.#drawBadges();
            this.run();
        };
        showAgain(
            this.#badges,
            Object.entries(this.#equalities).map(([name, value]) => equalityBadge(name, value, () => remove(name))),
            () => this.#where.input.focus(),
        );
        this.#badges.hidden = Object.keys(this.#equalities).length === 0;
    }

    #input(name, hint, value) {
        const press = (event) => {
            if (event.key === "Enter") this.run();
        };
        return h("input", {
            "aria-label": name, placeholder: hint, $value: value, onkeydown: press, spellcheck: "false",
        });
    }

    #heading() {
        const run = h("button", {type: "button", class: "primary", data: {key: "r"}, onclick: () => this.run()}, "Run");
        return h("div", {class: "heading"}, h("h1", {}, "Query"), h("span", {class: "row"}, this.#chooser()),
            this.#named === null ? null : h("code", {}, this.#named.predicate), h("span", {class: "spring"}), run);
    }

    #chooser() {
        const entities = model.entities.map((one) =>
            h("option", {value: one.name, selected: this.#named === null && one === this.#entity}, one.name));
        const queries = model.queries.map((one) =>
            h("option", {value: `query ${one.name}`, selected: one === this.#named}, one.name));
        return h("select", {"aria-label": "Entity", onchange: (event) => this.#choose(event.target.value)},
            h("optgroup", {label: "Entities"}, entities),
            queries.length === 0 ? null : h("optgroup", {label: "Named queries"}, queries));
    }

    #choose(value) {
        const name = /^query (.+)$/.exec(value)?.[1];
        if (name !== undefined) go(`#/query?named=${encodeURIComponent(name)}`);
        else if (this.#named !== null) go(`#/query?entity=${value}`);
        else this.#change(model.find(value));
    }

    #change(entity) {
        this.#entity = entity;
        this.#equalities = {};
        this.#drawBadges();
        this.#drawBuilder();
    }

    #form() {
        const label = ([name, input]) =>
            h("label", {}, h("span", {class: "quiet"}, name[0].toUpperCase() + name.slice(1)), input);
        const variables = [...this.#variables].map(([name, input]) =>
            h("label", {}, h("span", {class: "quiet"}, `$${name}`), input));
        return h("div", {class: "card query-form"},
            variables.length === 0 ? null : h("div", {class: "query-fields"}, variables),
            this.#badges, this.#where.element, this.#where.failure, this.#builder,
            h("div", {class: "query-fields"}, [...this.#fields].map(label)));
    }

    #drawBuilder() {
        show(this.#builder, builder(this.#entity, this.#where.input, this.#fields));
    }

    #parameters() {
        const inputs = [...this.#fields, ...this.#variables];
        const values = Object.fromEntries(inputs.map(([name, input]) => [name, input.value]));
        const isGrouped = values.group !== "" || values.aggregate !== "";
        const where = this.#where.input.value;
        return {where, ...this.#equalities, ...values, ...(isGrouped ? {result: "dictionary"} : {})};
    }

    get #path() {
        return dataPath(this.#named === null ? this.#entity.path : `queries/${this.#named.name}`);
    }

    async run() {
        const asked = this.#parameters();
        const subject = this.#named === null ? {entity: this.#entity.name} : {named: this.#named.name};
        history.replaceState(null, "", `#/query${query({...subject, ...asked, result: undefined})}`);
        show(this.#result, h("p", {class: "quiet"}, "Fetching …"));
        const isLatest = this.#turns.begin();
        const [entity, path, equalities] = [this.#entity, this.#path, {...this.#equalities}];
        try {
            const answer = await send(path + query(asked));
            if (!isLatest()) return;
            this.#where.fail(null);
            show(this.#result, resultOf(answer, {entity, path, asked, equalities}));
        } catch (error) {
            if (!isLatest()) return;
            this.#where.fail(error.code === "predicate" ? error : null);
            show(this.#result, problem(error));
        }
    }
}
