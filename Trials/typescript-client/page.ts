// SPDX-License-Identifier: Apache-2.0

// What a page runs: the tour of the server that serves the page.

import { tour } from "./tour.js";

const result = document.getElementById("result");
tour("").then(
  () => result?.replaceChildren("Done"),
  (error: Error) => result?.replaceChildren(`Failed: ${error.message}`),
);
