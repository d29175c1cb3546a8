// SPDX-License-Identifier: Apache-2.0

// The page as a whole: where one is, and the request at the side.
"use strict";

const part = (id) => document.getElementById(id);

/** The request as it stands in the form. */
function currentRequest() {
    const method = part("method").value;
    const fields = part("fields").value.split("\n").map((line) => line.trim()).filter((line) => line.includes(":"))
        .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]);
    const body = method === "GET" || method === "DELETE" && part("body").value.trim() === "" ? null : part("body").value;
    return {method, target: part("target").value.trim(), fields, body: body === "" ? null : body};
}

function showCurl() {
    part("bodyPart").hidden = part("method").value === "GET";
    part("curl").textContent = curlLine(currentRequest());
}

/** The request that was sent last, until another one is in the form. */
let sent = null;

/** Puts a request into the form, to be looked at and sent. The answer to the one before goes. */
function prepare({method, target, body = "", fields = ""}) {
    sent = null;
    part("answer").hidden = true;
    part("method").value = method;
    part("target").value = target;
    part("body").value = body;
    part("fields").value = fields;
    showCurl();
}

function send(request) {
    if (request !== undefined) prepare(request);
    part("request").requestSubmit();
}

async function submit(event) {
    event.preventDefault();
    const request = currentRequest();
    const {method, target, fields, body} = request;
    sent = request;
    const headers = new Headers();
    try {
        for (const [name, value] of fields) headers.append(name, value);
        if (body !== null && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
        const start = performance.now();
        const response = await fetch(target, {method, headers, body});
        const text = await response.text();
        if (sent === request) showAnswer(response, text, performance.now() - start);
        if (response.ok && method !== "GET" && !target.includes("dryRun")) {
            if (sent === request) goOnFrom(response.headers.get("ETag"));
            route(false);
        }
    } catch (error) {
        if (sent !== request) return;
        part("answer").hidden = false;
        part("status").className = "bad";
        part("status").textContent = "none";
        part("timing").textContent = "";
        part("answerFields").textContent = "";
        part("answerBody").textContent = String(error.message ?? error);
    }
}

function showAnswer(response, text, duration) {
    part("answer").hidden = false;
    part("status").className = response.ok ? "good" : "bad";
    part("status").textContent = `${response.status} ${response.statusText}`;
    part("timing").textContent = `${duration.toFixed(1)} ms, ${new Blob([text]).size} bytes, header fields`;
    part("answerFields").textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const isJSON = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
    const isShort = text.length < 300_000;
    part("answerBody").replaceChildren(isJSON && isShort ? colouredJSON(text) : text.slice(0, 300_000) || "(no body)");
}

/** Has the next change go out from the version that the last one made. */
function goOnFrom(tag) {
    if (tag === null) return;
    part("fields").value = part("fields").value.replace(/^If-Match:.*$/im, `If-Match: ${tag}`);
    showCurl();
}

/** Shows what the address says: `#/entity/posts/routes`, `#/object/posts/42`. A page that is shown anew leaves the request alone. */
async function route(isNew = true) {
    const [path, query] = splitTarget(location.hash.slice(1) || "/");
    try {
        const [kind, name = "", ...rest] = path.split("/").slice(1).map(decodeURIComponent);
        const entity = catalogue.find(name);
        if (path === "/") showStart();
        else if ((kind === "entity" || kind === "object") && name !== "" && entity === null) showMissing(`There is no entity “${name}”.`);
        else if (kind === "entity" && entity !== null && rest.length < 2 && isTab(rest[0] ?? "")) await showEntity(entity, rest[0] ?? "", new URLSearchParams(query), isNew);
        else if (kind === "object" && rest.length === 1 && rest[0] !== "") await showObject(entity, rest[0], isNew);
        else showMissing(`There is no page “${path}”.`);
        if (isNew) part("main").scrollTop = 0;
    } catch (error) {
        if (error instanceof URIError) return showMissing(`The address is wrong: “${path}” can't be decoded.`);
        show(make("div", {class: "problem", role: "alert"}, `This can't be shown: ${error.message}`));
    }
}

async function begin() {
    part("request").addEventListener("submit", submit);
    part("request").addEventListener("input", showCurl);
    part("copy").addEventListener("click", async () => {
        await navigator.clipboard.writeText(part("curl").textContent);
        part("copy").textContent = "Copied";
        setTimeout(() => { part("copy").textContent = "Copy"; }, 1500);
    });
    window.addEventListener("hashchange", () => route());
    prepare({method: "GET", target: "/api"});
    try {
        await catalogue.read();
    } catch (error) {
        show(make("div", {class: "problem", role: "alert"}, `The server doesn't say what it serves: ${error.message}`));
        return;
    }
    part("stores").textContent = catalogue.stores.map((store) => [store.type, store.readOnly ? "read only" : ""].filter(Boolean).join(", ")).join(" + ");
    await route();
}

begin();
