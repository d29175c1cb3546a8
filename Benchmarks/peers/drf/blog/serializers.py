# SPDX-License-Identifier: Apache-2.0
"""The JSON of the blog."""

from rest_framework import serializers

from .models import Post, Tag, User

VALUES = ["id", "title", "content", "created_at", "updated_at", "views", "published", "author"]


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "name"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class PostSerializer(serializers.ModelSerializer):
    class Meta:
        model = Post
        fields = VALUES


class FullPostSerializer(serializers.ModelSerializer):
    author = UserSerializer(read_only=True)
    tags = TagSerializer(many=True, read_only=True)

    class Meta:
        model = Post
        fields = [*VALUES, "tags"]
