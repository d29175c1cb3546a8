// SPDX-License-Identifier: Apache-2.0

// An operation of the API: its parameters, its body, its answers and a curl line, which are shown when it is opened.

import {curl} from "../curl.js";
import {h} from "../dom.js";
import {copyButton, table} from "../widgets.js";
import {marked} from "./marked.js";
import {opening} from "./opening.js";

/**
 * @typedef {object} Operation
 * @property {string} path
 * @property {string} method
 * @property {Record<string, any>} shape As the OpenAPI document has it.
 * @property {object[]} shared The parameters of the path.
 */

const COLORS = {get: "good", post: "warn", put: "warn", patch: "warn", delete: "bad"};

/**
 * @param {Operation} operation
 * @param {import("./schemas.js").Schemas} schemas
 * @returns {HTMLElement}
 */
export function operationCard(operation, schemas) {
    const {path, method, shape} = operation;
    const summary = h("summary", {}, h("span", {class: `badge ${COLORS[method]}`}, method.toUpperCase()), " ",
        h("code", {}, path), " ", h("span", {class: "quiet"}, shape.summary ?? ""));
    return opening(h("details", {class: "card"}, summary), () => details(operation, schemas));
}

function details({path, method, shape, shared}, schemas) {
    const parameters = [...shared, ...(shape.parameters ?? [])].map((one) => schemas.resolve(one)).filter(Boolean);
    const body = schemas.resolve(shape.requestBody);
    const line = curl(method.toUpperCase(), path, {}, null);
    return [
        shape.description ? h("p", {}, marked(shape.description)) : null,
        parameters.length === 0 ? null : parameterTable(parameters, schemas),
        Object.entries(body?.content ?? {}).map(([type, content]) => bodyOf(type, content, schemas)),
        h("h3", {}, "Answers"),
        Object.entries(shape.responses ?? {}).map(([status, one]) => answer(status, schemas.resolve(one), schemas)),
        h("div", {class: "row"}, h("code", {class: "spring"}, line), copyButton(line)),
    ];
}

function parameterTable(parameters, schemas) {
    const row = (parameter) => [
        [h("code", {}, parameter.name), parameter.required ? " *" : ""], parameter.in,
        schemas.typeOf(parameter.schema), h("span", {class: "quiet"}, marked(parameter.description ?? "")),
    ];
    return table(["Parameter", "In", "Type", "What it does"], parameters.map(row), "Parameters");
}

function bodyOf(type, {schema}, schemas) {
    return [h("h3", {}, `Body: ${type}`), schema === undefined ? null : schemas.shown(schema)];
}

function answer(status, response, schemas) {
    const [type = "", content] = Object.entries(response?.content ?? {})[0] ?? [];
    const text = [h("strong", {}, status), " ", marked(response?.description ?? "")];
    if (content?.schema === undefined) return h("div", {class: "bare-answer"}, text);
    const summary = h("summary", {}, text, " ", h("span", {class: "quiet"}, type));
    return opening(h("details", {}, summary), () => schemas.shown(content.schema));
}
