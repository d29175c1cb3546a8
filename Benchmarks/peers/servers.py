# SPDX-License-Identifier: Apache-2.0
"""The servers that are compared: how each is configured and started, its paths, and what its answers mean."""

import datetime
import json
import shutil
import sqlite3

import world
from process import HERE, Process, free_port

CASES = {
    "one": "one post by key",
    "page": "first page of 50, by date",
    "full": "the same with authors and tags",
    "filtered": "20 published posts of an author",
    "create": "create a post",
}
NAMES = {"_id": "id", "created_at": "createdAt", "updated_at": "updatedAt", "author_id": "author", "authorId": "author"}
# What Outcrop's answers say about an object beyond its values.
EXTRA = {"_entity", "_version"}


def normalized(value, name=None):
    """A value of an answer in the form that `world` has it: names in camel case, keys as numbers, dates as dates."""
    if isinstance(value, dict):
        members = ((NAMES.get(key, key), member) for key, member in value.items() if key not in EXTRA)
        return {key: normalized(member, key) for key, member in members}
    if isinstance(value, list):
        return sorted((normalized(member) for member in value), key=lambda member: member["id"])
    if name in ("id", "author") and isinstance(value, str):
        return int(value.rpartition("/")[2])
    if name in ("createdAt", "updatedAt"):
        date = datetime.datetime.fromisoformat(value)
        return date.astimezone(datetime.UTC).replace(tzinfo=None) if date.tzinfo else date
    return bool(value) if name == "published" else value


class Server:
    """One program with its configuration. `paths` has a path for each case, in which {key} is a number."""

    name = configuration = ""
    paths = {}
    ready = "/posts?limit=1"
    table = "posts"
    # The member of an answer that has the posts.
    rows = "items"

    def __init__(self, folder, programs):
        self.folder, self.programs = folder / self.name, programs
        self.folder.mkdir()
        self.log = self.folder / "log.txt"

    @property
    def original(self):
        return self.folder.parent / "blog.db"

    def copy(self):
        """A new copy of the data, since runs create posts."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        shutil.copy(self.original, self.folder / "blog.db")
        return self.folder / "blog.db"

    def posts(self, case, text):
        answer = json.loads(text)
        found = answer[self.rows] if self.rows in answer else [answer]
        return [normalized(post) for post in found]

    def new_post(self):
        """The body that creates a post by a random author."""
        return json.dumps(self.values()).replace('"{key}"', "{key}")

    def values(self):
        values = world.post(1)
        values |= {"createdAt": "2024-01-01T00:01:00Z", "updatedAt": "2024-01-01T01:01:00Z", "author": "{key}"}
        del values["id"]
        return values

    def count(self):
        database = sqlite3.connect(self.folder / "blog.db")
        try:
            if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise SystemExit(f"run: {self.name}: the file is damaged")
            return database.execute(f"SELECT count(*) FROM {self.table}").fetchone()[0]
        finally:
            database.close()


class Outcrop(Server):
    name = "Outcrop"
    configuration = "defaults, which include synchronous=FULL and recording a history; logs errors only"
    ready = "/healthz"
    table = "ZPOST"
    paths = {
        "one": "/api/Post/{key}",
        "page": "/api/Post?sort=-createdAt&limit=50",
        "full": "/api/Post?sort=-createdAt&limit=50&include=author,tags",
        "filtered": "/api/Post?author=User/{key}&published=true&sort=-createdAt&limit=20",
        "create": "/api/Post",
    }

    def __init__(self, folder, programs):
        super().__init__(folder, programs)
        if self.original.exists():
            return
        (folder / "Blog.json").write_text(json.dumps(world.MODEL))
        with self.serve(self.original) as process:
            for entity, lines in world.batches():
                process.request("POST", f"/api/{entity}/batch-insert", lines.encode(), "application/x-ndjson")

    @property
    def original(self):
        return self.folder.parent / "Blog.sqlite"

    def values(self):
        return super().values() | {"author": "User/{key}"}

    def start(self):
        return self.serve(self.copy())

    def serve(self, file):
        port = free_port()
        command = [self.programs["outcrop"], "serve", "--model", self.folder.parent / "Blog.json"]
        command += ["--store", f"sqlite:{file}", "--listen", f"127.0.0.1:{port}", "--log-level", "error"]
        return Process(command, port, self.ready, self.log)


class FastAPI(Server):
    name = "FastAPI"
    configuration = "SQLAlchemy's ORM; uvicorn with uvloop and httptools, 2 workers with 8 threads each, no access log"
    paths = {
        "one": "/posts/{key}",
        "page": "/posts?limit=50",
        "full": "/posts/full?limit=50",
        "filtered": "/posts?author={key}&published=true&limit=20",
        "create": "/posts",
    }

    def values(self):
        values = super().values()
        values["authorId"] = values.pop("author")
        return values

    def start(self):
        port = free_port()
        command = [self.programs["venv"] / "uvicorn", "fastapi_app:app", "--app-dir", HERE, "--port", port]
        command += ["--workers", 2, "--loop", "uvloop", "--http", "httptools", "--no-access-log"]
        return Process(command, port, self.ready, self.log, variables={"BLOG_DATABASE": str(self.copy())})


class DjangoREST(Server):
    name = "DRF"
    configuration = "Django's ORM; gunicorn, 2 workers with 4 threads each, persistent connections, no middleware"
    rows = "results"
    ready = "/posts/?limit=1"
    paths = {
        "one": "/posts/{key}/",
        "page": "/posts/?limit=50",
        "full": "/posts/full/?limit=50",
        "filtered": "/posts/?author={key}&published=true&limit=20",
        "create": "/posts/",
    }

    def values(self):
        values = super().values()
        return values | {"created_at": values.pop("createdAt"), "updated_at": values.pop("updatedAt")}

    def start(self):
        port = free_port()
        command = [self.programs["venv"] / "gunicorn", "wsgi", "--bind", f"127.0.0.1:{port}", "--workers", 2]
        command += ["--worker-class", "gthread", "--threads", 4, "--keep-alive", 75, "--no-control-socket"]
        variables = {"BLOG_DATABASE": str(self.copy())}
        return Process(command, port, self.ready, self.log, folder=HERE / "drf", variables=variables)


class Datasette(Server):
    name = "Datasette"
    configuration = "its own server, 1 process, no facets; the page with authors and tags is a query in SQL"
    rows = "rows"
    ready = "/blog/posts.json?_size=1"
    paths = {
        "one": "/blog/posts/{key}.json",
        "page": "/blog/posts.json?_sort_desc=created_at&_size=50",
        "full": "/blog/full_posts.json?_json=author&_json=tags",
        "filtered": "/blog/posts.json?author_id={key}&published=1&_sort_desc=created_at&_size=20",
        "create": "/blog/posts/-/insert",
    }

    def values(self):
        values = super().values()
        # Datasette stores what it is sent.
        values["created_at"] = values.pop("createdAt").replace("T", " ").replace("Z", ".000000")
        values["updated_at"] = values.pop("updatedAt").replace("T", " ").replace("Z", ".000000")
        values["author_id"] = values.pop("author")
        return {"row": values, "return": True}

    def start(self):
        port = free_port()
        command = [self.programs["venv"] / "datasette", "serve", self.copy(), "--port", port]
        command += ["--config", HERE / "datasette.yaml"]
        return Process(command, port, self.ready, self.log)


SERVERS = [Outcrop, FastAPI, DjangoREST, Datasette]
