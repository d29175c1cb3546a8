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

/** Puts a request into the form, to be looked at and sent. */
function prepare({method, target, body = "", fields = ""}) {
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
    const {method, target, fields, body} = currentRequest();
    const headers = new Headers();
    try {
        for (const [name, value] of fields) headers.append(name, value);
        if (body !== null && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
        const start = performance.now();
        const response = await fetch(target, {method, headers, body});
        const text = await response.text();
        showAnswer(response, text, performance.now() - start);
        if (response.ok && method !== "GET" && !target.includes("dryRun")) route(false);
    } catch (error) {
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

/** Shows what the address says: `#/entity/posts/routes`, `#/object/posts/42`. */
async function route(movesFocus = true) {
    const [path, query] = splitTarget(location.hash.slice(1) || "/");
    const words = path.split("/").slice(1).map(decodeURIComponent);
    try {
        const entity = words[0] === "entity" ? catalogue.find(words[1] ?? "") : null;
        if (entity !== null) await showEntity(entity, words[2] ?? "", new URLSearchParams(query));
        else if (words[0] === "object" && words.length === 3) await showObject(`${words[1]}/${words[2]}`);
        else showStart();
        if (movesFocus && location.hash !== "") part("main").scrollTop = 0;
    } catch (error) {
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
    await route(false);
}

begin();
