// SPDX-License-Identifier: Apache-2.0

// The demo model, compiled into the program.

/// A model of a small blog with users, groups, tags and visits, in two versions.
package enum DemoModel {
    /// The contents of `Config/Demo.json`.
    package static let json = #"""
        {
          "current": "Demo 2",
          "versions": {
            "Demo": {
              "versionIdentifiers": ["1"],
              "entities": {
                "Article": {
                  "class": "Article",
                  "attributes": {
                    "canonicalTitle": {"type": "String?", "derived": "canonical:(title)"},
                    "commentCount": {
                      "type": "Int64?",
                      "derived": "comments.@count",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "body": {"type": "String", "default": "", "searchIndexed": true},
                    "createdAt": {
                      "type": "Date",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "excerpt": {"type": "String?", "transient": true},
                    "link": "URI?",
                    "metadata": {"type": "Transformable?", "transformer": "NSSecureUnarchiveFromData"},
                    "published": {
                      "type": "Bool",
                      "default": false,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "rating": {
                      "type": "Float?",
                      "min": 0,
                      "max": 5,
                      "xcode": {"minValueString": "0", "maxValueString": "5", "usesScalarValueType": "NO"}
                    },
                    "slug": {"type": "String", "pattern": "[a-z0-9-]+", "preservedAfterDeletion": true},
                    "title": {"type": "String", "minLength": 1, "maxLength": 200, "searchIndexed": true},
                    "updatedAt": {
                      "type": "Date?",
                      "derived": "now()",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "uuid": {
                      "type": "UUID?",
                      "preservedAfterDeletion": true,
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "views": {
                      "type": "Int64",
                      "default": 0,
                      "min": 0,
                      "xcode": {"usesScalarValueType": "YES"}
                    }
                  },
                  "relationships": {
                    "author": "User.posts",
                    "comments": {"toMany": "Comment", "inverse": "post", "deleteRule": "cascade"},
                    "tags": {"toMany": "Tag", "inverse": "posts", "ordered": true, "max": 20}
                  },
                  "fetchedProperties": {
                    "moreFromAuthor": {
                      "fetch": {
                        "entity": "Article",
                        "predicate": "author == $FETCH_SOURCE.author AND SELF != $FETCH_SOURCE AND published == YES"
                      }
                    }
                  },
                  "unique": ["slug"],
                  "indexes": {
                    "byDate": ["-createdAt", "title"],
                    "byTitle": ["canonicalTitle"],
                    "published": {"elements": ["-views"], "where": "published == YES"}
                  },
                  "userInfo": {
                    "path": "posts"
                  }
                },
                "Comment": {
                  "class": "Comment",
                  "attributes": {
                    "createdAt": {
                      "type": "Date",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "isSpam": {
                      "type": "Bool",
                      "default": false,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "likes": {
                      "type": "Int32?",
                      "default": 0,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "text": {"type": "String", "minLength": 1, "maxLength": 10000, "searchIndexed": true}
                  },
                  "relationships": {
                    "author": "User?.comments",
                    "post": {"to": "Article", "inverse": "comments", "deleteRule": "noAction"}
                  },
                  "userInfo": {
                    "path": "comments"
                  }
                },
                "Contact": {
                  "class": "Contact",
                  "abstract": true,
                  "attributes": {
                    "address": "Address?",
                    "avatar": {"type": "Binary?", "externalStorage": true},
                    "email": {"type": "String?", "pattern": "[^@ ]+@[^@ ]+"},
                    "name": {"type": "String", "minLength": 1, "maxLength": 200, "searchIndexed": true}
                  },
                  "indexes": {
                    "byName": ["name"]
                  },
                  "userInfo": {
                    "path": "contacts"
                  }
                },
                "Tag": {
                  "class": "Tag",
                  "attributes": {
                    "name": {"type": "String", "minLength": 1, "maxLength": 50}
                  },
                  "relationships": {
                    "posts": {"toMany": "Article", "inverse": "tags", "deleteRule": "deny"}
                  },
                  "unique": ["name"],
                  "userInfo": {
                    "path": "tags"
                  }
                },
                "User": {
                  "class": "User",
                  "parent": "Contact",
                  "attributes": {
                    "bio": {"type": "String?", "searchIndexed": true},
                    "joinedAt": {
                      "type": "Date",
                      "default": "2026-01-01T00:00:00Z",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "username": {
                      "type": "String",
                      "minLength": 2,
                      "maxLength": 40,
                      "pattern": "[a-z][a-z0-9_]*"
                    }
                  },
                  "relationships": {
                    "comments": "[Comment].author",
                    "posts": {
                      "toMany": "Article",
                      "inverse": "author",
                      "ordered": true,
                      "deleteRule": "cascade"
                    }
                  },
                  "unique": ["username"],
                  "userInfo": {
                    "path": "users"
                  }
                }
              },
              "composites": {
                "Address": {
                  "attributes": {
                    "city": "String?",
                    "country": {"type": "String?", "minLength": 2, "maxLength": 2},
                    "street": "String?",
                    "zip": "String?"
                  }
                }
              },
              "xcode": {
                "lastSavedToolsVersion": "22522",
                "systemVersion": "23A344",
                "sourceLanguage": "Swift"
              }
            },
            "Demo 2": {
              "versionIdentifiers": ["2"],
              "entities": {
                "Comment": {
                  "class": "Comment",
                  "attributes": {
                    "createdAt": {
                      "type": "Date",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "isSpam": {
                      "type": "Bool",
                      "default": false,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "likes": {
                      "type": "Int32",
                      "default": 0,
                      "min": 0,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "text": {"type": "String", "minLength": 1, "maxLength": 10000, "searchIndexed": true}
                  },
                  "relationships": {
                    "author": "User?.comments",
                    "post": {"to": "Post", "inverse": "comments", "deleteRule": "noAction"}
                  },
                  "userInfo": {
                    "path": "comments"
                  }
                },
                "Contact": {
                  "class": "Contact",
                  "abstract": true,
                  "attributes": {
                    "address": "Address?",
                    "avatar": {"type": "Binary?", "externalStorage": true},
                    "email": {"type": "String?", "pattern": "[^@ ]+@[^@ ]+"},
                    "name": {"type": "String", "minLength": 1, "maxLength": 200, "searchIndexed": true}
                  },
                  "indexes": {
                    "byName": ["name"]
                  },
                  "userInfo": {
                    "path": "contacts"
                  }
                },
                "Group": {
                  "class": "Group",
                  "parent": "Contact",
                  "attributes": {
                    "isOpen": {
                      "type": "Bool",
                      "default": true,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "memberCount": {
                      "type": "Int64?",
                      "derived": "members.@count",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "sortKey": {"type": "String?", "derived": "uppercase:(name)"}
                  },
                  "relationships": {
                    "members": {"toMany": "User", "inverse": "groups", "min": 1}
                  },
                  "userInfo": {
                    "path": "groups"
                  }
                },
                "Post": {
                  "class": "Post",
                  "attributes": {
                    "canonicalTitle": {"type": "String?", "derived": "canonical:(title)"},
                    "commentCount": {
                      "type": "Int64?",
                      "derived": "comments.@count",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "content": {
                      "type": "String",
                      "default": "",
                      "searchIndexed": true,
                      "renamedFrom": "body"
                    },
                    "cover": {"type": "Binary?", "externalStorage": true},
                    "createdAt": {
                      "type": "Date",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "excerpt": {"type": "String?", "transient": true},
                    "link": "URI?",
                    "metadata": {"type": "Transformable?", "transformer": "NSSecureUnarchiveFromData"},
                    "price": {
                      "type": "Decimal?",
                      "default": 0,
                      "min": 0,
                      "xcode": {"minValueString": "0"}
                    },
                    "published": {
                      "type": "Bool",
                      "default": false,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "rating": {
                      "type": "Float?",
                      "min": 0,
                      "max": 5,
                      "xcode": {"minValueString": "0", "maxValueString": "5", "usesScalarValueType": "NO"}
                    },
                    "readingMinutes": {
                      "type": "Double?",
                      "min": 0,
                      "xcode": {"minValueString": "0", "usesScalarValueType": "NO"}
                    },
                    "slug": {"type": "String", "pattern": "[a-z0-9-]+", "preservedAfterDeletion": true},
                    "title": {"type": "String", "minLength": 1, "maxLength": 200, "searchIndexed": true},
                    "updatedAt": {
                      "type": "Date?",
                      "derived": "now()",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "uuid": {
                      "type": "UUID?",
                      "preservedAfterDeletion": true,
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "views": {
                      "type": "Int64",
                      "default": 0,
                      "min": 0,
                      "xcode": {"usesScalarValueType": "YES"}
                    },
                    "wordCount": {
                      "type": "Int16?",
                      "versionHashModifier": "counted without markup",
                      "xcode": {"usesScalarValueType": "NO"}
                    }
                  },
                  "relationships": {
                    "author": "User.posts",
                    "comments": {"toMany": "Comment", "inverse": "post", "deleteRule": "cascade"},
                    "inReplyTo": "Post?.replies",
                    "replies": "[Post].inReplyTo",
                    "tags": {"toMany": "Tag", "inverse": "posts", "ordered": true, "max": 20}
                  },
                  "fetchedProperties": {
                    "moreFromAuthor": {
                      "fetch": {
                        "entity": "Post",
                        "predicate": "author == $FETCH_SOURCE.author AND SELF != $FETCH_SOURCE AND published == YES"
                      }
                    }
                  },
                  "unique": ["slug"],
                  "indexes": {
                    "byDate": ["-createdAt", "title"],
                    "byTitle": ["canonicalTitle"],
                    "published": {"elements": ["-views"], "where": "published == YES"}
                  },
                  "userInfo": {
                    "path": "posts"
                  },
                  "renamedFrom": "Article"
                },
                "Tag": {
                  "class": "Tag",
                  "attributes": {
                    "color": {"type": "String?", "pattern": "#[0-9a-f]{6}"},
                    "key": {"type": "String?", "derived": "lowercase:(name)"},
                    "name": {"type": "String", "minLength": 1, "maxLength": 50}
                  },
                  "relationships": {
                    "posts": {"toMany": "Post", "inverse": "tags", "deleteRule": "deny"}
                  },
                  "unique": ["name"],
                  "userInfo": {
                    "path": "tags"
                  }
                },
                "User": {
                  "class": "User",
                  "parent": "Contact",
                  "attributes": {
                    "bio": {"type": "String?", "searchIndexed": true},
                    "joinedAt": {
                      "type": "Date",
                      "default": "2026-01-01T00:00:00Z",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "totalViews": {
                      "type": "Int64?",
                      "derived": "posts.views.@sum",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "username": {
                      "type": "String",
                      "minLength": 2,
                      "maxLength": 40,
                      "pattern": "[a-z][a-z0-9_]*"
                    }
                  },
                  "relationships": {
                    "comments": "[Comment].author",
                    "groups": "[Group].members",
                    "posts": {
                      "toMany": "Post",
                      "inverse": "author",
                      "ordered": true,
                      "deleteRule": "cascade"
                    }
                  },
                  "unique": ["username"],
                  "userInfo": {
                    "path": "users"
                  }
                },
                "Visit": {
                  "class": "Visit",
                  "attributes": {
                    "at": {
                      "type": "Date",
                      "min": "2026-01-01T00:00:00Z",
                      "xcode": {"usesScalarValueType": "NO"}
                    },
                    "path": "String",
                    "referrer": "URI?"
                  },
                  "unique": [
                    ["at", "path"]
                  ],
                  "indexes": {
                    "byTime": ["-at"]
                  },
                  "userInfo": {
                    "path": "visits"
                  }
                }
              },
              "composites": {
                "Address": {
                  "attributes": {
                    "city": "String?",
                    "country": {"type": "String?", "minLength": 2, "maxLength": 2},
                    "street": "String?",
                    "zip": "String?"
                  }
                }
              },
              "configurations": {
                "Analytics": ["Visit"],
                "Content": ["Comment", "Contact", "Group", "Post", "Tag", "User"]
              },
              "fetchRequestTemplates": {
                "PopularPosts": {
                  "entity": "Post",
                  "predicate": "published == YES AND views >= $MINIMUM AND author.name BEGINSWITH[cd] $NAME",
                  "limit": 100
                }
              },
              "xcode": {
                "lastSavedToolsVersion": "22522",
                "systemVersion": "23A344",
                "sourceLanguage": "Swift"
              }
            }
          }
        }

        """#
}
