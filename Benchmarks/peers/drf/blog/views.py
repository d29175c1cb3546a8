# SPDX-License-Identifier: Apache-2.0
"""The requests of the blog."""

from rest_framework import generics
from rest_framework.pagination import CursorPagination

from .models import Post
from .serializers import FullPostSerializer, PostSerializer


class NewestFirst(CursorPagination):
    # Pages by key, as those of the other servers: pages by number would count all rows for each request.
    ordering = ("-created_at", "-id")
    page_size = 50
    page_size_query_param = "limit"


class PostList(generics.ListCreateAPIView):
    serializer_class = PostSerializer
    pagination_class = NewestFirst

    def get_queryset(self):
        posts = Post.objects.all()
        parameters = self.request.query_params
        if (author := parameters.get("author")) is not None:
            posts = posts.filter(author=author)
        if (published := parameters.get("published")) is not None:
            posts = posts.filter(published=published == "true")
        return posts


class FullPostList(generics.ListAPIView):
    queryset = Post.objects.select_related("author").prefetch_related("tags")
    serializer_class = FullPostSerializer
    pagination_class = NewestFirst


class PostDetail(generics.RetrieveAPIView):
    queryset = Post.objects.all()
    serializer_class = PostSerializer
