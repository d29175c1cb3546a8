// SPDX-License-Identifier: Apache-2.0

// Goes through everything that a generated client has, with a server of the demo model, in Node and in browsers.

import { DemoClient, OutcropError, entityTag, predicate } from "./demo.js";

/** Fails unless two values are the same as JSON. */
function expect(value: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(value), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

/** The error that a request must have. */
async function failure(request: Promise<unknown>): Promise<OutcropError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof OutcropError) return error;
    throw error;
  }
  throw new Error("a request should have failed");
}

/** The next value of an iteration that doesn't end. */
async function next<T>(values: AsyncIterator<T>): Promise<T> {
  const { done, value } = await values.next();
  if (done) throw new Error("an iteration has ended");
  return value;
}

async function reading(client: DemoClient): Promise<void> {
  const page = await client.posts.fetch({ limit: 2, count: true });
  expect([page.items.map((post) => post._id), page.total], [["posts/1", "posts/2"], 374], "a page");
  expect((await page.next())?.items.map((post) => post._id), ["posts/3", "posts/4"], "the next page");
  const few = await client.tags.fetch({ where: { _id: ["tags/1", "tags/2", "tags/3"] }, limit: 2, sort: "-_id" });
  const last = await few.next();
  expect([last?.items.length, last?.cursor, await last?.next()], [1, null, null], "the last page");
  const again = few.cursor === null ? null : await client.tags.fetch({ where: { _id: ["tags/1", "tags/2", "tags/3"] }, limit: 2, sort: "-_id", cursor: few.cursor });
  expect(again?.items.map((tag) => tag._id), ["tags/1"], "a page by its cursor");

  let count = 0;
  for await (const tag of client.tags.each({ limit: 50, select: ["name"] })) count += tag.name === "" ? 0 : 1;
  expect(count, await client.tags.count(), "each of 126 tags");
  let pages = 0;
  for await (const tags of client.tags.pages({ limit: 100 })) pages += tags.items.length > 0 ? 1 : 0;
  expect(pages, 2, "pages");
  expect((await client.tags.references({ limit: 1 })).items, ["tags/1"], "references");

  const post = await client.posts.get("posts/1", { select: ["title", "tags"], include: { author: { select: ["name"] } } });
  expect(
    post,
    {
      _id: "posts/1", _entity: "Post", _version: 1, title: "The Quiet Compass", tags: ["tags/39", "tags/8", "tags/58", "tags/21"],
      author: { _id: "users/101", _entity: "User", _version: 1, name: "Xenia Kingsside" },
    },
    "a selection"
  );
  const nested = await client.posts.get(1, {
    select: ["title"],
    include: {
      tags: { where: { name: { beginsWith: "t" } }, sort: "-name", limit: 1, select: ["name"] },
      author: { select: ["name"], include: { groups: { limit: 1, select: ["name"] }, posts: { select: [], where: predicate`views > ${3}`, limit: 1 } } },
    },
  });
  expect(nested.tags.map((tag) => tag.name), ["temple"], "embedded tags");
  expect([nested.author.groups.length, nested.author.posts.length], [1, 1], "two relationships of an embedded object");
  const contact = await client.contacts.get("users/101");
  expect(contact._entity === "User" ? contact.username : contact.isOpen, "xenia_kingsside_101", "an object of a subentity");
  expect(await client.posts.find("posts/100000"), null, "an object that there isn't");
  expect((await client.posts.first({ sort: "-views", select: ["views"] }))?.views, 19876, "the first object");
  expect(await client.posts.first({ where: { views: -1 } }), null, "no first object");

  const found = await client.posts.fetch({ search: "temple", select: ["_highlight"], limit: 1 });
  expect(found.items[0]?._highlight["content"]?.includes("<mark>temple</mark>"), true, "a search");
  const rows = await client.posts.table({
    columns: ["published"],
    aggregates: { posts: { count: "_id" }, most: { max: "views" } },
    having: predicate`posts > ${100}`,
  });
  expect(rows.items, [{ published: true, posts: 305, most: 19526 }], "groups");
  const plain = await client.tags.table({ columns: ["name"], sort: "name", limit: 1, distinct: true });
  expect([plain.items, (await plain.next())?.items.length], [[{ name: "acorn" }], 1], "rows");
  expect((await client.query("PopularPosts", { MINIMUM: 100, NAME: "a" }, { select: ["title"], limit: 1, sort: "-views" })).items[0]?.title, "The Warm Cloud", "a named query");
  expect((await client.posts.fetched(3, "moreFromAuthor", { limit: 1 })).items.length, 1, "a fetched property");
}

async function filtering(client: DemoClient): Promise<void> {
  const count = client.posts.count.bind(client.posts);
  const raw = (format: string): Promise<number> => count({ where: predicate([format] as unknown as TemplateStringsArray) });
  type Where = NonNullable<NonNullable<Parameters<typeof count>[0]>["where"]>;
  const cases: [Where, string][] = [
    [{}, "TRUEPREDICATE"],
    [{ views: { gt: 10, lte: 500 } }, "views > 10 AND views <= 500"],
    [{ views: [1684, 92] }, "views IN {1684, 92}"],
    [{ views: { between: [10, 500] }, published: true }, "views BETWEEN {10, 500} AND published == YES"],
    [{ rating: null }, "rating == nil"],
    [{ rating: { ne: null } }, "rating != nil"],
    [{ rating: { notIn: [null, 5] } }, "NOT rating IN {nil, 5}"],
    [{ title: { contains: "QUIET", options: "c" } }, "title CONTAINS[c] 'quiet'"],
    [{ title: { like: "the q*", options: "cd" } }, "title LIKE[cd] 'the q*'"],
    [{ title: { matches: ".*Compass" } }, "title MATCHES '.*Compass'"],
    [{ title: { endsWith: "ss", ne: "x" } }, "title ENDSWITH 'ss' AND title != 'x'"],
    [{ price: { gt: "10.5" } }, "price > 10.5"],
    [{ price: { gt: 99.65 } }, "price > CAST('99.65', 'NSDecimalNumber')"],
    [{ createdAt: { gte: new Date("2026-01-01T00:00:00Z") } }, "createdAt >= CAST('2026-01-01T00:00:00Z', 'NSDate')"],
    [{ uuid: "8b890d21-ffbb-4887-8d36-1056ac43bc44" }, "title == 'The Quiet Compass' AND slug == 'quiet-compass-1'"],
    [{ link: "https://example.com/quiet-compass" }, "link == CAST('https://example.com/quiet-compass', 'NSURL')"],
    [{ cover: { ne: null } }, "cover != nil"],
    [{ metadata: { at: { weight: { gt: 20 } } } }, "metadata.weight > 20"],
    [{ metadata: { ne: null } }, "metadata != nil"],
    [{ metadata: null }, "metadata == nil"],
    [{ author: { name: { beginsWith: "A" }, address: { city: { ne: null } } } }, "author.name BEGINSWITH 'A' AND author.address.city != nil"],
    [{ author: "users/101" }, "author.username == 'xenia_kingsside_101'"],
    [{ inReplyTo: null }, "inReplyTo == nil"],
    [{ inReplyTo: { author: { groups: { any: { isOpen: true } } } } }, "ANY inReplyTo.author.groups.isOpen == YES"],
    [{ tags: { any: { name: "forest" } } }, "ANY tags.name == 'forest'"],
    [{ tags: { any: "tags/1" } }, "ANY tags.name == 'harbour'"],
    [{ tags: { none: { name: "forest" }, count: { gte: 2 } } }, "NONE tags.name == 'forest' AND tags.@count >= 2"],
    [{ tags: { all: { name: { gt: "f" } } } }, "ALL tags.name > 'f'"],
    [{ comments: { any: { likes: { gt: 3 }, author: { posts: { any: { views: { gt: 1000 } } } } } } },
      "SUBQUERY(comments, $c, $c.likes > 3 AND ANY $c.author.posts.views > 1000).@count > 0"],
    [{ or: [{ views: 92 }, { title: "The Quiet Compass" }], published: true }, "(views == 92 OR title == 'The Quiet Compass') AND published == YES"],
    [{ and: [{ views: { gt: 3 } }, predicate`published == ${true}`] }, "views > 3 AND published == YES"],
    [{ not: { views: { gt: 100 }, published: true } }, "NOT (views > 100 AND published == YES)"],
    [{ or: [] }, "FALSEPREDICATE"],
    [predicate`author.name IN ${["Xenia Kingsside", '"quoted"']} AND views > ${10} AND (${predicate`rating != ${null}`})`,
      "author.name == 'Xenia Kingsside' AND views > 10 AND rating != nil"],
    [{ title: '["a"]' }, "title == '[\"a\"]'"],
    // Too long for an address.
    [{ title: { notIn: Array.from({ length: 500 }, (_, place) => `Not a title ${place}`) } }, "TRUEPREDICATE"],
  ];
  for (const [where, format] of cases) {
    expect(await count({ where }), await raw(format), format);
  }
  const long = Array.from({ length: 500 }, (_, place) => `Not a title ${place}`);
  const page = await client.posts.fetch({ where: { title: { notIn: long } }, limit: 200 });
  expect((await page.next())?.items.length, 174, "the second page of a fetch with a body");
  const wrong = await failure(client.posts.fetch({ where: predicate`vews > ${3}` }));
  expect([wrong.code, wrong.status, wrong.hint, wrong.position], ["predicate", 400, "Did you mean “views”?", 0], "an error");
}

async function writing(client: DemoClient): Promise<void> {
  const author = await client.users.get("users/101");
  const post = await client.posts.create({
    title: "Typed", slug: "typed", createdAt: new Date("2026-05-01T00:00:00Z"), author, price: "12.50", views: 1,
    cover: new Uint8Array([1, 2, 250]), metadata: { a: [1, { b: null }] },
    tags: [{ name: "typed" }, "tags/1", { _id: { name: "cloud" } }],
    comments: [{ createdAt: "2026-05-01T00:00:00Z", text: "First", author: { _id: "users/101" } }],
  });
  expect([post.author, post.price, post.createdAt, post.metadata], ["users/101", "12.5", "2026-05-01T00:00:00Z", { a: [1, { b: null }] }], "a new object");
  expect((await client.posts.get(post)).commentCount, 1, "nested objects");
  const changed = await client.posts.update(post, { views: { $inc: 2 }, title: "Changed" }, { ifMatch: post, author: "Zoë \"Z\"" });
  expect([changed.views, changed.title, changed._version], [3, "Changed", 2], "a change");
  const stale = await failure(client.posts.update(post, { title: "Other" }, { ifMatch: post }));
  expect([stale.code, stale.status], ["precondition", 412], "a change of an older version");
  expect(entityTag(changed).startsWith('"2'), true, "an ETag");
  const tried = await client.posts.update(post, { title: "Tried" }, { dryRun: true, ifMatch: 2 });
  expect([tried.title, (await client.posts.get(post)).title], ["Tried", "Changed"], "a dry run");
  const replaced = await client.posts.replace(post, { title: "Replaced", slug: "typed", createdAt: post.createdAt, author: post.author });
  expect([replaced.views, replaced.price], [0, "0"], "a replacement");
  const both = await client.tags.createAll([{ name: "one" }, { name: "two" }]);
  expect(both.map((tag) => tag.name), ["one", "two"], "several objects");
  const upserted = await client.tags.upsert({ name: "one", color: "#112233" });
  expect([upserted._id, upserted.color], [both[0]?._id, "#112233"], "an object with unique values");
  const invalid = await failure(client.tags.create({ name: "", color: "green" }));
  expect([invalid.code, invalid.pointer, invalid.errors.map((error) => error.property)], ["validation", "/color", ["color", "name"]], "invalid values");
  const noticed = await client.posts.update(post, { tags: ["tags/1"] }, { returnChanges: true });
  expect(noticed._changed?.every((change) => change._entity === "Tag"), true, "what was changed");
  const history = await client.posts.history(post, { kind: "updated" });
  expect(history.transactions[0]?.author, 'Zoë "Z"', "the author in the history");

  const members = client.posts.members(post, "tags");
  await members.add(["tags/2", { _id: "tags/3" }]);
  await members.place("tags/4", 0);
  await members.place(3, 0);
  await members.remove("tags/2");
  expect((await members.references()).items, ["tags/3", "tags/4", "tags/1"], "members");
  const made = await members.create({ name: "made here" });
  expect([made.name, await members.count({ where: { name: { beginsWith: "made" } } })], ["made here", 1], "a new member");
  await members.set(["tags/5", both[1] ?? "tags/6"]);
  const names: string[] = [];
  for await (const tag of members.each({ limit: 1, select: ["name"] })) names.push(tag.name);
  expect(names[1], "two", "all members");
  const link = client.posts.related(post, "inReplyTo");
  expect(await link.get(), null, "no related object");
  await link.set("posts/2");
  expect((await link.get({ select: ["slug"], include: { author: true } }))?._id, "posts/2", "a related object");
  await link.set(null);

  const cover = client.posts.bytes(post, "cover");
  await cover.set(new Uint8Array([1, 2, 3, 4]), { type: "application/octet-stream" });
  expect([(await cover.get()).size, (await cover.get({ range: [1, 2] })).size], [4, 2], "bytes");
  await cover.delete();
  expect((await client.posts.get(post)).cover, null, "no bytes");

  const preview = await client.posts.previewDelete(post);
  expect([preview.deleted.length, preview.deleted[0]], [2, post._id], "what a deletion would delete");
  await client.posts.delete(post);
  const denied = await failure(client.tags.delete("tags/1"));
  expect([denied.code, denied.errors[0]?.code], ["delete-denied", "denied"], "a denied deletion");
}

async function batches(client: DemoClient): Promise<void> {
  const result = await client.transaction((transaction) => {
    const tag = transaction.insert("Tag", { name: "in a transaction" });
    transaction.update("Post", "posts/3", { tags: { add: [tag] } });
    transaction.update("Tag", 1, { color: "#000000" });
    transaction.delete("Comment", "comments/1");
  });
  expect([result.items.length, result.items[3], result.items[0]?._id], [4, null, result.ids["$1"]], "a transaction");
  const failed = await failure(client.transaction((transaction) => transaction.insert("Tag", { name: "" })));
  expect([failed.code, failed.pointer], ["validation", "/operations/0/values/name"], "a transaction that fails");

  const inserted = await client.tags.batchInsert([{ name: "batch 1", posts: ["posts/4"] }, { name: "batch 2" }], { result: "ids" });
  expect([inserted.count, inserted.ids?.length], [2, 2], "a batch insertion");
  const where = { name: { beginsWith: "batch" } } as const;
  expect((await client.tags.batchUpdate({ where }, { color: "#00ff00" }, { dryRun: true })).count, 2, "a batch update that is tried");
  await client.tags.batchUpdate({ where }, { color: { expression: "lowercase(uppercase('#00ff00'))" } });
  expect(await client.tags.count({ where: { color: "#00ff00" } }), 2, "a batch update");
  await client.posts.members(4, "tags").remove(inserted.ids?.[0] ?? "tags/0");
  const limited = await failure(client.tags.batchDelete({ where }, { max: 1 }));
  expect(limited.code, "max-affected", "a batch that affects too many objects");
  for (const condition of [{}, { name: undefined }]) {
    const refused = await client.tags.batchDelete({ where: condition as object }).catch((error: unknown) => error);
    expect(refused instanceof TypeError, true, "a batch whose condition is missing");
  }
  expect((await client.tags.batchDelete({ ids: inserted.ids ?? [] })).count, 2, "a batch deletion");
}

async function drafts(client: DemoClient): Promise<void> {
  const draft = await client.drafts.open({ name: "Spring cleaning" });
  const tag = await draft.tags.create({ color: "#ff7f50" });
  expect([tag._id.startsWith("tags/t"), tag.name], [true, null], "a new object in a draft");
  expect(await draft.validate().then((result) => result.errors[0]?.property), "name", "a validation");
  await draft.tags.update(tag, { name: "coral" }, { ifMatch: tag });
  expect((await failure(draft.tags.update(tag, { name: "x" }, { ifMatch: tag }))).code, "precondition", "an older state of a draft");
  await draft.posts.update("posts/5", { title: "Drafted", excerpt: "Transient" });
  expect((await draft.posts.get("posts/5", { select: ["title", "excerpt"] })).excerpt, "Transient", "a transient value");
  await draft.transaction((transaction) => transaction.update("Post", "posts/5", { tags: { add: [tag._id] } }));
  const changes = await draft.changes();
  expect([changes.inserted.length, changes.deleted.length], [1, 0], "changes");
  const title = changes.updated.find((object) => object._id === "posts/5")?.properties["title"];
  expect(title?.new, "Drafted", "a changed property");
  expect((await draft.undo()).redo, 1, "undo");
  expect((await draft.redo()).redo, 0, "redo");
  expect(await client.tags.count({ where: { name: "coral" } }), 0, "what others see");
  expect(await draft.tags.count({ where: { name: "coral" }, includePending: false }), 0, "without what is pending");

  const merges = draft.merges();
  const merged = next(merges);
  const child = await draft.child();
  await child.tags.update(tag, { color: "#000080" });
  await child.save();
  await child.discard();
  expect((await draft.tags.get(tag)).color, "#000080", "a child");
  expect((await failure(child.status())).code, "gone", "a child that has ended");
  const live = draft.tags.live({ where: { name: "coral" }, select: ["name"] });
  expect((await next(live)).items.length, 1, "a live query of a draft");
  await live.return();
  // The stream may be open later than the first of these changes.
  let merge: Awaited<typeof merged> | undefined;
  for (let change = 100_000; merge === undefined; change += 1) {
    await client.tags.update("tags/7", { color: `#${change}` });
    merge = await Promise.race([merged, new Promise<undefined>((done) => setTimeout(() => done(undefined), 200))]);
  }
  await merges.return();
  expect(merge.updated[0]?._id, "tags/7", "a merge");
  const saved = await draft.save({ returnChanges: true });
  expect(Object.keys(saved.ids), [tag._id], "a save");
  expect(await client.tags.count({ where: { name: "coral" } }), 1, "what was saved");
  const conflicting = await client.drafts.open({ automaticallyMergesChanges: false });
  await conflicting.tags.update("tags/8", { name: "mine" });
  await client.tags.update("tags/8", { name: "theirs" });
  expect((await failure(conflicting.save())).code, "conflict", "a conflict");
  await conflicting.save({ merge: "object" });
  expect((await client.tags.get(8)).name, "mine", "a conflict that was resolved");
  expect((await client.drafts.list()).map((one) => one.context), [draft.id, conflicting.id], "all drafts");
  expect((await client.drafts.get(draft.id).status()).hasChanges, false, "a status");
  await draft.rollback();
  await draft.reset();
  await draft.refresh(["tags/8"]);
  await draft.discard();
  await conflicting.discard();
}

/** A `fetch` that cuts each stream after its first event. */
function cutting(): { fetch: typeof fetch; cuts: () => number } {
  let cuts = 0;
  const cut: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null || response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) return response;
    const reader = response.body.getReader();
    const body = new ReadableStream({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        if (new TextDecoder().decode(value).includes("data:")) {
          cuts += 1;
          await reader.cancel();
          controller.error(new TypeError("The connection was cut."));
        }
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return { fetch: cut, cuts: () => cuts };
}

async function following(url: string, client: DemoClient): Promise<void> {
  const lists = client.tags.live({ sort: "name", limit: 3, select: ["name"], count: true });
  const first = await next(lists);
  expect([first.items.map((tag) => tag.name), first.changes], [["acorn", "acorn 2", "anchor"], null], "a live list");
  await client.tags.update(9, { name: "aa" });
  const second = await next(lists);
  expect([second.items.map((tag) => tag.name), second.total], [["aa", "acorn", "acorn 2"], first.total], "a change of it");
  await client.tags.update(9, { name: "acorn 1" });
  expect((await next(lists)).items.map((tag) => tag.name), ["acorn", "acorn 1", "acorn 2"], "a move in it");
  await lists.return();
  const counts = client.tags.liveCount({ where: { name: { beginsWith: "counted" } } });
  expect(await next(counts), 0, "a live count");
  await client.tags.create({ name: "counted" });
  expect(await next(counts), 1, "a change of it");
  const tables = client.posts.liveTable({ columns: ["published"], aggregates: { n: { count: "_id" } } });
  expect((await next(tables)).length, 2, "a live table");
  await tables.return();
  const sections = client.posts.live({ section: "published", sort: ["published", "title"], limit: 1, select: ["title"] });
  expect((await next(sections)).sections, [{ name: false, count: 1 }], "sections");
  await sections.return();

  // Streams that break are opened again, and nothing is missed.
  const { fetch, cuts } = cutting();
  const broken = new DemoClient(url, { fetch });
  const survivors = broken.tags.live({ where: { name: { beginsWith: "survivor" } }, sort: "name", select: ["name"] });
  expect((await next(survivors)).items, [], "a list before a break");
  const token = await client.history.token();
  const transactions = broken.history.stream({ since: token, entity: "Tag" });
  for (const name of ["survivor 1", "survivor 2"]) {
    await client.tags.create({ name });
    const found = await next(survivors);
    expect(found.items[found.items.length - 1]?.name, name, "a list after a break");
    expect((await next(transactions)).changes[0]?.change, "inserted", "a transaction after a break");
  }
  expect(cuts() >= 4, true, "breaks");
  await survivors.return();
  await transactions.return();
  expect((await client.history.fetch({ since: token, entity: ["Tag", "Post"], kind: ["inserted"] })).transactions.length, 2, "the history");

  // An iteration ends with its signal.
  const controller = new AbortController();
  let events = 0;
  for await (const list of client.tags.live({ limit: 1, signal: controller.signal })) {
    events += list.items.length;
    setTimeout(() => controller.abort(), 10);
  }
  expect(events, 1, "an iteration that was ended");
  const refused = client.tags.live({ where: predicate`nam == ${"x"}` });
  expect((await failure(refused.next())).code, "predicate", "a live query with a mistake");
}

async function repeating(url: string): Promise<void> {
  // A request whose answer is lost is repeated, and done once.
  let lost = 0;
  const client = new DemoClient(url, {
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (lost++ === 0) throw new TypeError("The answer is lost.");
      return response;
    },
  });
  const tag = await client.tags.create({ name: "once" });
  expect([tag.name, lost], ["once", 2], "a repeated request");
  lost = 0;
  const missed = await failure(client.tags.update(tag, { name: "twice" }));
  expect([missed.code, missed.status, lost], ["unreachable", 0, 1], "a change that isn't repeated");
  const gone = await failure(new DemoClient("http://127.0.0.1:9", { retries: 0 }).tags.fetch());
  expect(gone.code, "unreachable", "a server that isn't there");
  // A refused token is asked for again.
  const tokens: (string | undefined)[] = [];
  const renewing = new DemoClient(url, {
    token: (refused) => {
      tokens.push(refused);
      return refused === undefined ? "old" : "new";
    },
    fetch: async (address, init) => {
      const isOld = new Headers(init?.headers).get("Authorization") === "Bearer old";
      return isOld ? new Response('{"code":"unauthenticated"}', { status: 401 }) : fetch(address, init);
    },
    acceptModel: true,
    headers: { "X-Request-Id": "typescript" },
  });
  expect([(await renewing.tags.get(1))._id, tokens], ["tags/1", [null, "old"]], "another token");
  const aborted = new AbortController();
  aborted.abort();
  let name = "";
  await client.tags.fetch({ signal: aborted.signal }).catch((error: Error) => (name = error.name));
  expect(name, "AbortError", "a request that was ended");
}

/** Does it all, and returns the number of parts. */
export async function tour(url: string): Promise<number> {
  const client = new DemoClient(url);
  const parts = [reading, filtering, writing, batches, drafts, following.bind(null, url), repeating.bind(null, url)];
  for (const part of parts) await part(client);
  return parts.length;
}
