// SPDX-License-Identifier: Apache-2.0

// Uses a generated client of the model in names.json, whose names collide with those of the language and of the client.

import { NamesClient } from "./names-client.js";

function expect(value: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(value), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

export async function tour(url: string): Promise<void> {
  const client = new NamesClient(url);
  const error = await client.Error.create({
    constructor: "a", größe: "1.5", __id: 7, and: "b", or: [1, { x: 2 }], default: 'aa/b"', switch: true,
    await: { in: "c", inner: { anything: { y: 3 } } }, not: {}, function: [await client.Warning.create({ constructor: "d", level: 2 })],
  });
  expect([error._id.slice(0, 6), error.__id, error.größe, error.not?.startsWith("proto(s)/")], ["Error/", 7, "1.5", true], "an object");
  const count = client.Error.count.bind(client.Error);
  for (const [where, found] of [
    [{ "#constructor": "a" }, 1], [{ größe: { lt: 2 } }, 1], [{ __id: { gt: 7 } }, 0], [{ "#and": "b" }, 1], [{ switch: false }, 1],
    [{ "#or": { ne: null } }, 1], [{ "#not": { let: { "#constructor": "a" } } }, 1], [{ "#not": null }, 1],
    [{ await: { in: "c" } }, 1], [{ await: { inner: { anything: { at: { y: 3 } } } } }, 1],
    [{ function: { any: { "#constructor": { beginsWith: "d" } } } }, 1], [{ not: { "#and": "b" } }, 1], [{ _entity: "Warning" }, 1],
  ] as const) {
    expect(await count({ where }), found, JSON.stringify(where));
  }
  const objects = await client.Object.fetch({ sort: ["-constructor", "await.in"], select: ["constructor"] });
  expect(objects.items.map((object) => [object._entity, object.constructor]), [["Warning", "d"], ["Error", "a"]], "objects");
  const read = await client.Error.get(error, { include: { not: { include: { let: true } }, function: true } });
  expect([read.not?.let?.constructor, read.function[0]?._entity], ["a", "Warning"], "embedded objects");
  expect((await client["proto(s)"].first())?.let, error._id, "a path in quotes");
  expect((await client.drafts_.create({ a: "e" })).a, "e", "a path that the client has another meaning for");
  const draft = await client.drafts.open();
  await draft.string.create({});
  expect((await draft.status()).inserted, 1, "a draft");
  await draft.discard();
}
