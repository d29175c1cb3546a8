// SPDX-License-Identifier: Apache-2.0

// What Node runs: a tour of a server, by the file that has it. Live queries that are still open end with the program.

declare const process: { readonly argv: readonly string[]; exit(code: number): never };

const [file, url] = process.argv.slice(2);
const { tour } = (await import(`./${file}.js`)) as { tour: (url: string) => Promise<unknown> };
await tour(url ?? "");
process.exit(0);

export {};
