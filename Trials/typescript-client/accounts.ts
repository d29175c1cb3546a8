// SPDX-License-Identifier: Apache-2.0

// Signs in and out with a generated client, on a server of the model in docs/accounts.md.

import { AccountSession, BlogClient, OutcropError } from "./blog.js";

function expect(value: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(value), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

async function status(request: Promise<unknown>): Promise<number> {
  try {
    await request;
    return 200;
  } catch (error) {
    if (error instanceof OutcropError) return error.status;
    throw error;
  }
}

/** Does it all, and returns the number of sessions that there were. */
export async function tour(url: string): Promise<number> {
  const sessions: (AccountSession | null)[] = [];
  const client = new BlogClient(url);
  client.accounts.onChange = (session) => sessions.push(session);
  expect(await status(client.notes.fetch()), 404, "notes for nobody");
  const session = await client.accounts.signUp({ name: "ana@example.org", password: "correct horse", nickname: "Ana" });
  expect([session.user.email, session.user.nickname, session.user._entity], ["ana@example.org", "Ana", "User"], "an account");
  const note = await client.notes.create({ text: "mine" });
  expect([note.owner, (await client.accounts.me()).roles], [session.user._id, ["member", "public"]], "a note, and roles");

  // A token that is about to expire is renewed once, also for several requests at a time.
  client.accounts.restore({ ...session, expires: "2001-01-01T00:00:00Z" });
  await Promise.all([client.notes.count(), client.notes.count(), client.notes.count()]);
  const second = client.accounts.session;
  expect([sessions.length, second?.refreshToken === session.refreshToken], [3, false], "a renewed session");

  // So is one that the server refuses.
  if (second === null) throw new Error("the session has ended");
  client.accounts.restore({ ...second, token: "a.b.c", expires: "2999-01-01T00:00:00Z" });
  expect([await client.notes.count(), sessions.length], [1, 5], "a refused token");

  await client.accounts.changePassword("correct horse", "another horse");
  const other = new BlogClient(url);
  expect(await status(other.accounts.signIn("ana@example.org", "correct horse")), 401, "the former password");
  await other.accounts.signIn("ana@example.org", "another horse");
  expect(await other.notes.count(), 1, "another client");
  await client.accounts.signOut(true);
  expect([client.accounts.session, await status(client.accounts.me())], [null, 401], "no session");
  // The other client learns that its session has ended.
  expect([await status(other.notes.count()), other.accounts.session], [401, null], "a session that was ended");
  await client.accounts.requestReset("ana@example.org");
  return sessions.length;
}
