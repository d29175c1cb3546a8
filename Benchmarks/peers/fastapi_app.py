# SPDX-License-Identifier: Apache-2.0
"""The blog by FastAPI and SQLAlchemy's ORM. BLOG_DATABASE is the path of the SQLite file."""

import os
from contextlib import asynccontextmanager
from datetime import datetime

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from sqlalchemy import Column, ForeignKey, Select, Table, create_engine, event, select, tuple_
from sqlalchemy.orm import (
    DeclarativeBase, Mapped, joinedload, mapped_column, relationship, selectinload, sessionmaker,
)

# Threads in each process, each with a connection that stays open. By default 40 threads share 5 such connections and 10
# that are opened for each use.
THREADS = 8

engine = create_engine(
    f"sqlite:///{os.environ['BLOG_DATABASE']}", connect_args={"timeout": 20}, pool_size=THREADS, max_overflow=0
)
# Expired objects would be read again for the answer to a POST.
session_of = sessionmaker(engine, expire_on_commit=False)


@event.listens_for(engine, "connect")
def configure(connection, _):
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


class Base(DeclarativeBase):
    pass


post_tags = Table(
    "post_tags",
    Base.metadata,
    Column("post_id", ForeignKey("posts.id"), primary_key=True),
    Column("tag_id", ForeignKey("tags.id"), primary_key=True),
)


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Tag(Base):
    __tablename__ = "tags"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Post(Base):
    __tablename__ = "posts"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    content: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(index=True)
    updated_at: Mapped[datetime]
    views: Mapped[int] = mapped_column(default=0)
    published: Mapped[bool] = mapped_column(default=False)
    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    author: Mapped[User] = relationship()
    tags: Mapped[list[Tag]] = relationship(secondary=post_tags)


class Schema(BaseModel):
    model_config = ConfigDict(from_attributes=True, alias_generator=to_camel, validate_by_name=True)


class Named(Schema):
    id: int
    name: str


class PostValues(Schema):
    title: str
    content: str
    created_at: datetime
    updated_at: datetime
    views: int = 0
    published: bool = False


class NewPost(PostValues):
    author_id: int


class PostAnswer(PostValues):
    id: int
    author_id: int


class FullPost(PostValues):
    id: int
    author: Named
    tags: list[Named]


class Page(BaseModel):
    items: list[PostAnswer]
    next: str | None


class FullPage(BaseModel):
    items: list[FullPost]
    next: str | None


@asynccontextmanager
async def lifespan(_):
    current_default_thread_limiter().total_tokens = THREADS
    yield


app = FastAPI(title="Blog", lifespan=lifespan)


def page_of(query: Select, limit: int, cursor: str | None) -> dict:
    """A page by key, newest first: one row more than the page has tells whether there is a next page."""
    if cursor:
        date, _, key = cursor.rpartition(",")
        query = query.where(tuple_(Post.created_at, Post.id) < (datetime.fromisoformat(date), int(key)))
    with session_of() as session:
        posts = session.scalars(query.order_by(Post.created_at.desc(), Post.id.desc()).limit(limit + 1)).all()
    has_more = len(posts) > limit
    posts = posts[:limit]
    return {"items": posts, "next": f"{posts[-1].created_at.isoformat()},{posts[-1].id}" if has_more else None}


# Functions that aren't async run on FastAPI's threads, as its documentation advises for blocking databases.
@app.get("/posts", response_model=Page)
def list_posts(limit: int = 50, author: int | None = None, published: bool | None = None, cursor: str | None = None):
    query = select(Post)
    if author is not None:
        query = query.where(Post.author_id == author)
    if published is not None:
        query = query.where(Post.published == published)
    return page_of(query, limit, cursor)


@app.get("/posts/full", response_model=FullPage)
def list_full_posts(limit: int = 50, cursor: str | None = None):
    return page_of(select(Post).options(joinedload(Post.author), selectinload(Post.tags)), limit, cursor)


@app.get("/posts/{key}", response_model=PostAnswer)
def read_post(key: int):
    with session_of() as session:
        post = session.get(Post, key)
    if post is None:
        raise HTTPException(404)
    return post


@app.post("/posts", response_model=PostAnswer, status_code=201)
def create_post(values: NewPost):
    with session_of.begin() as session:
        post = Post(**values.model_dump())
        session.add(post)
    return post
