# SPDX-License-Identifier: Apache-2.0
"""The routes of the blog."""

from django.urls import path

from blog.views import FullPostList, PostDetail, PostList

urlpatterns = [
    path("posts/", PostList.as_view()),
    path("posts/full/", FullPostList.as_view()),
    path("posts/<int:pk>/", PostDetail.as_view()),
]
