// SPDX-License-Identifier: Apache-2.0

// What must compile, with the types that results must have.

import { DemoClient, predicate, OutcropError, Post, User, Group, Tag } from "./demo.js";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Equal<A, B>): void {}

export async function positive() {
  const client = new DemoClient("http://127.0.0.1:8321", { token: async () => "x" });
  const all = await client.posts.fetch();
  same<(typeof all.items)[number], Post>(true);
  const page = await client.posts.fetch({
    where: { views: { gt: 10 }, title: { contains: "x", options: "cd" }, author: { name: "A", groups: { any: { name: "x" } } }, tags: { any: { name: "t" } } },
    sort: ["-views", "author.name", { key: "title", options: "cd" }, "tags.@count", "metadata.weight", "_id"],
    select: ["title", "views", "tags"],
    include: { author: true, comments: { limit: 3, select: ["text"], include: { author: { select: ["name"] } } } },
    count: true,
  });
  const item = page.items[0]!;
  item.title.length; item.views.toFixed();
  same<typeof item.author, User>(true);
  same<typeof item.tags, `tags/${string}`[]>(true);
  const comment = item.comments[0]!;
  comment.text; const who: string | undefined = comment.author?.name;
  who;
  const contact = (await client.contacts.fetch({ where: { name: "x", address: { city: "Bern" } } })).items[0]!;
  if (contact._entity === "User") contact.username; else contact.isOpen;
  same<typeof contact, User | Group>(true);
  const few = (await client.contacts.fetch({ select: ["name"] })).items[0]!;
  few.name;
  const embedded = await client.posts.get(3, { include: { inReplyTo: { include: { author: true } } } });
  const other: string | undefined = embedded.inReplyTo?.author.name; other;
  embedded.title;
  const rows = await client.posts.table({
    columns: ["published", "author.name"], aggregates: { posts: { count: "_id" }, most: { max: "views" }, sum: { sum: "price" }, avg: { average: "rating" } },
    having: predicate`posts > ${3}`, sort: "-posts",
  });
  const row = rows.items[0]!;
  same<typeof row, { published: boolean; "author.name": string; posts: number; most: number | null; sum: string; avg: number | null }>(true);
  await client.posts.create({
    createdAt: new Date(), slug: "x", title: "y", author: "users/1", tags: ["tags/1", { name: "new" }, { _id: { name: "forest" } }],
    comments: [{ createdAt: new Date(), text: "t" }], cover: new Uint8Array(3), metadata: { a: [1, "b"] }, price: 3.5,
  });
  const user = await client.users.get("users/101");
  await client.posts.create({ createdAt: user.joinedAt, slug: "x", title: "y", author: user });
  await client.posts.update(embedded, { views: { $inc: 1 }, tags: { add: ["tags/1"], move: [{ _id: "tags/1", to: 0 }] }, author: { _id: "users/3", name: "new name" } }, { ifMatch: embedded });
  await client.users.update(1, { address: { city: "x" } });
  await client.tags.upsert({ name: "x" });
  await client.tags.batchInsert([{ name: "x" }, { name: "y", posts: ["posts/1"] }]);
  await client.posts.batchUpdate({ where: { published: false } }, { views: { expression: "views + 1" }, author: "users/1" }, { max: 3 });
  const done = await client.transaction((t) => {
    const tag = t.insert("Tag", { name: "x" });
    t.update("Post", "posts/3", { tags: { add: [tag] } });
    t.delete("Tag", "tags/3");
  });
  done.ids;
  const draft = await client.drafts.open({ name: "x" });
  const pending = await draft.posts.create({ title: null, excerpt: "e" });
  const title: string | null = pending.title; title;
  const excerpt: string | null = pending.excerpt; excerpt;
  await draft.posts.fetch({ select: ["excerpt"] });
  for await (const list of client.posts.live({ select: ["title"], limit: 3, section: "published" })) {
    list.items[0]?.title; break;
  }
  for await (const n of client.posts.liveCount({ where: predicate`views > ${3}` })) { n.toFixed(); break; }
  const members = client.posts.members("posts/1", "tags");
  const tag: Tag | undefined = (await members.fetch({ limit: 1 })).items[0]; tag;
  await members.place("tags/1", 0); await members.set(["tags/3"]); await members.remove(tag!);
  (await client.posts.related(1, "author").get())?.username;
  (await client.posts.fetched(1, "moreFromAuthor")).items[0]?.title;
  await client.posts.bytes(1, "cover").set(new Uint8Array(3), { type: "image/png" });
  (await client.query("PopularPosts", { MINIMUM: 3, NAME: "a" }, { select: ["title"] })).items[0]?.title;
  for await (const t of client.history.stream({ entity: "Post" })) { t.changes[0]?._id; break; }
  for await (const post of client.posts.each({ where: { or: [{ views: 3 }, predicate`title == ${"x"}`], not: { views: [1, 2, null] }, author: null, inReplyTo: "posts/3", metadata: { at: { "a.b": 3 } }, cover: { ne: null } } })) { post.title; }
  await client.posts.fetch({ where: { rating: { in: [null, 3] }, createdAt: { gte: new Date() }, price: { gt: "3.5" } }, search: "x", limit: 3 });
  const marks = await client.posts.fetch({ search: "x", select: ["title", "_highlight"] });
  marks.items[0]?._highlight["content"];
  try { await client.tags.delete("tags/1"); } catch (error) { if (error instanceof OutcropError) error.hint; }
}
