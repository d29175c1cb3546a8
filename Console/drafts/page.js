// SPDX-License-Identifier: Apache-2.0

// The page Drafts: the open ones, or one with what it changes.

import {Draft} from "./draft.js";
import {makeList} from "./list.js";

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parts: [name]}) {
    if (name === undefined) return {title: "Drafts", element: await makeList()};
    const draft = new Draft(name);
    await draft.read();
    return {title: draft.title, element: draft.element, leave: () => draft.leave()};
}
