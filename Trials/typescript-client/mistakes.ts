// SPDX-License-Identifier: Apache-2.0

// Lines that must not compile: the compiler reports each comment without a mistake below it.

import { DemoClient, predicate } from "./demo.js";

export async function mistakes(client: DemoClient) {
  // @ts-expect-error: a filter's property is misspelt
  await client.posts.fetch({ where: { titel: "x" } });
  // @ts-expect-error: also beside one that exists
  await client.posts.fetch({ where: { title: "x", veiws: 3 } });
  // @ts-expect-error: the value has another type
  await client.posts.fetch({ where: { views: "many" } });
  // @ts-expect-error: numbers don't begin with anything
  await client.posts.fetch({ where: { views: { beginsWith: "1" } } });
  // @ts-expect-error: the operator doesn't exist
  await client.posts.fetch({ where: { views: { greater: 1 } } });
  // @ts-expect-error: the property of the author is misspelt
  await client.posts.fetch({ where: { author: { nmae: "x" } } });
  // @ts-expect-error: a to-many relationship needs a quantifier
  await client.posts.fetch({ where: { tags: { name: "x" } } });
  // @ts-expect-error: within "any"
  await client.posts.fetch({ where: { tags: { any: { nmae: "x" } } } });
  // @ts-expect-error: within "or"
  await client.posts.fetch({ where: { or: [{ titel: "x" }] } });
  // @ts-expect-error: a predicate can't say anything of related objects
  await client.posts.fetch({ where: { tags: { any: predicate`name == ${"x"}` } } });
  // @ts-expect-error: a reference to another entity
  await client.posts.fetch({ where: { author: "tags/1" } });
  // @ts-expect-error: the option doesn't exist
  await client.posts.fetch({ wher: {} });
  // @ts-expect-error: there is no such order
  await client.posts.fetch({ sort: "-veiws" });
  // @ts-expect-error: bytes have no order
  await client.posts.fetch({ sort: "cover" });
  // @ts-expect-error: a relationship has no order
  await client.posts.fetch({ sort: "author" });
  // @ts-expect-error: there is no such property
  await client.posts.fetch({ select: ["titel"] });
  // @ts-expect-error: transient properties exist in drafts only
  await client.posts.fetch({ select: ["excerpt"] });
  // @ts-expect-error: an attribute can't be embedded
  await client.posts.fetch({ include: { title: true } });
  // @ts-expect-error: the relationship is misspelt, beside one that exists
  await client.posts.fetch({ include: { author: true, tgas: true } });
  // @ts-expect-error: a to-one relationship has no limit
  await client.posts.fetch({ include: { author: { limit: 3 } } });
  // @ts-expect-error: the filter within an include
  await client.posts.fetch({ include: { tags: { where: { name: "x", nmae: "x" } } } });
  // @ts-expect-error: an inner include
  await client.posts.fetch({ include: { author: { include: { group: true } } } });
  const some = (await client.posts.fetch({ select: ["title"] })).items[0]!;
  // @ts-expect-error: it wasn't selected
  some.views;
  const post = await client.posts.get(1);
  // @ts-expect-error: it wasn't included, so that it is a reference
  post.author.name;
  // @ts-expect-error: to-many relationships have to be selected or included
  post.tags;
  // @ts-expect-error: it may be null
  post.link.length;
  // @ts-expect-error: derived values can't be written
  post.canonicalTitle = "x";
  const embedded = await client.posts.get(1, { include: { inReplyTo: true } });
  // @ts-expect-error: an optional relationship may be null
  embedded.inReplyTo.title;
  // @ts-expect-error: "name" is required
  await client.tags.create({ color: "#000000" });
  // @ts-expect-error: an unknown property
  await client.tags.create({ name: "x", colour: "#000000" });
  // @ts-expect-error: a derived property
  await client.tags.create({ name: "x", key: "x" });
  // @ts-expect-error: a required relationship
  await client.comments.create({ createdAt: new Date(), text: "x" });
  // @ts-expect-error: a required value can't be cleared
  await client.tags.update("tags/1", { name: null });
  // @ts-expect-error: only numbers are incremented
  await client.tags.update("tags/1", { name: { $inc: 1 } });
  // @ts-expect-error: a reference to another entity
  await client.tags.update("posts/1", { name: "x" });
  // @ts-expect-error: only ordered relationships have places
  await client.users.update("users/1", { groups: { move: [] } });
  // @ts-expect-error: objects of an abstract entity can't be created without saying of which subentity
  await client.contacts.create({ name: "x" });
  // @ts-expect-error: a property of a subentity
  (await client.contacts.get("users/1")).username;
  // @ts-expect-error: it isn't a to-many relationship
  client.posts.members("posts/1", "author");
  // @ts-expect-error: it isn't a binary attribute
  client.posts.bytes("posts/1", "title");
  // @ts-expect-error: a column that isn't there
  (await client.posts.table({ columns: ["published"] })).items[0]!.title;
  // @ts-expect-error: an unknown column in the order
  await client.posts.table({ columns: ["published"], sort: "-n" });
  // @ts-expect-error: an unknown aggregate
  await client.posts.table({ aggregates: { n: { total: "views" } } });
  // @ts-expect-error: an unknown query
  await client.query("Popular", {});
  // @ts-expect-error: a missing variable
  await client.query("PopularPosts", { NAME: "x" });
  // @ts-expect-error: not a value for a predicate
  predicate`title == ${() => "x"}`;
  await client.transaction((transaction) => {
    const tag = transaction.insert("Tag", { name: "x" });
    // @ts-expect-error: a tag in the place of an author
    transaction.update("Post", "posts/1", { author: tag });
  });
  const draft = await client.drafts.open();
  // @ts-expect-error: in a draft a required value may be missing
  (await draft.posts.get("posts/1")).title.length;
}
