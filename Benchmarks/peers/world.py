# SPDX-License-Identifier: Apache-2.0
"""The data that all servers serve: users who write posts with tags, as rows, as SQL and as Outcrop's model.

Every value follows from a key, so that the harness can tell what the right answer is without asking any server.
"""

import datetime
import json
import sqlite3

POSTS, USERS, TAGS, TAGS_OF_POST = 10_000, 100, 100, 2
CONTENT = ("A post has something to say, and says it in as many words as it takes. " * 6)[:400]
START = datetime.datetime(2024, 1, 1)

MODEL = {
    "entities": {
        "User": {"attributes": {"name": "String"}, "relationships": {"posts": "[Post].author"}},
        "Post": {
            "attributes": {
                "title": "String", "content": "String", "createdAt": "Date", "updatedAt": "Date",
                "views": {"type": "Int64", "default": 0}, "published": {"type": "Bool", "default": False},
            },
            "relationships": {"author": "User.posts", "tags": "[Tag].posts"},
            "indexes": {"byCreatedAt": ["createdAt"]},
        },
        "Tag": {"attributes": {"name": "String"}, "relationships": {"posts": "[Post].tags"}},
    }
}

# The indexes are those that Outcrop's store creates: of the date, of the author, and of the pairs in both directions.
SCHEMA = """
CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL);
CREATE TABLE tags (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL);
CREATE TABLE posts (
    id INTEGER PRIMARY KEY, title VARCHAR NOT NULL, content VARCHAR NOT NULL, created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL, views INTEGER NOT NULL DEFAULT 0, published BOOLEAN NOT NULL DEFAULT 0,
    author_id INTEGER NOT NULL REFERENCES users (id)
);
CREATE TABLE post_tags (
    post_id INTEGER NOT NULL REFERENCES posts (id), tag_id INTEGER NOT NULL REFERENCES tags (id),
    PRIMARY KEY (post_id, tag_id)
);
CREATE INDEX posts_created_at ON posts (created_at);
CREATE INDEX posts_author_id ON posts (author_id);
CREATE INDEX post_tags_tag_id ON post_tags (tag_id, post_id);
"""


def author_of(key):
    return 1 + key % USERS


def tags_of(key):
    return sorted(1 + (key * 3 + place) % TAGS for place in range(TAGS_OF_POST))


def post(key):
    """A post as the harness compares it: its own values, and the key of its author."""
    return {
        "id": key, "title": f"Post {key}, and what it is about", "content": CONTENT,
        "createdAt": START + datetime.timedelta(minutes=key), "updatedAt": START + datetime.timedelta(minutes=key + 60),
        "views": key * 31 % 1000, "published": key // USERS % 10 != 0, "author": author_of(key),
    }


def with_relations(key):
    return post(key) | {
        "author": {"id": author_of(key), "name": f"User {author_of(key)}"},
        "tags": [{"id": tag, "name": f"Tag {tag}"} for tag in tags_of(key)],
    }


def first_page(count):
    return range(POSTS, POSTS - count, -1)


def published_of(author, count):
    keys = (key for key in range(POSTS, 0, -1) if author_of(key) == author and post(key)["published"])
    return [key for key, _ in zip(keys, range(count))]


def batches():
    """Entities with their objects as lines of JSON, in an order in which every reference exists."""
    yield "User", "\n".join(json.dumps({"name": f"User {key}"}) for key in range(1, USERS + 1))
    yield "Tag", "\n".join(json.dumps({"name": f"Tag {key}"}) for key in range(1, TAGS + 1))
    yield "Post", "\n".join(json.dumps(outcrop_post(key)) for key in range(1, POSTS + 1))


def outcrop_post(key):
    values = post(key)
    del values["id"]
    values |= {name: values[name].isoformat() + "Z" for name in ("createdAt", "updatedAt")}
    return values | {"author": f"User/{values['author']}", "tags": [f"Tag/{tag}" for tag in tags_of(key)]}


def make_database(path):
    """The file that the peers share copies of. Dates are texts as SQLAlchemy and Django both write them."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.executescript(SCHEMA)
    database.executemany("INSERT INTO users VALUES (?, ?)", ((key, f"User {key}") for key in range(1, USERS + 1)))
    database.executemany("INSERT INTO tags VALUES (?, ?)", ((key, f"Tag {key}") for key in range(1, TAGS + 1)))
    for values in map(post, range(1, POSTS + 1)):
        values |= {name: values[name].isoformat(" ", "microseconds") for name in ("createdAt", "updatedAt")}
        database.execute("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", tuple(values.values()))
        pairs = ((values["id"], tag) for tag in tags_of(values["id"]))
        database.executemany("INSERT INTO post_tags VALUES (?, ?)", pairs)
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
