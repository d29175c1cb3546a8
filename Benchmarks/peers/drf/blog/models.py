# SPDX-License-Identifier: Apache-2.0
"""The tables of the blog, which the harness has created."""

from django.db import models


class User(models.Model):
    name = models.CharField()

    class Meta:
        managed = False
        db_table = "users"


class Tag(models.Model):
    name = models.CharField()

    class Meta:
        managed = False
        db_table = "tags"


class Post(models.Model):
    title = models.CharField()
    content = models.TextField()
    created_at = models.DateTimeField(db_index=True)
    updated_at = models.DateTimeField()
    views = models.IntegerField(default=0)
    published = models.BooleanField(default=False)
    author = models.ForeignKey(User, models.CASCADE, related_name="posts")
    tags = models.ManyToManyField(Tag, db_table="post_tags", related_name="posts")

    class Meta:
        managed = False
        db_table = "posts"
