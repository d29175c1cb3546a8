// SPDX-License-Identifier: Apache-2.0

// Predicates with every operator, and sort orders, over the exhibition and the specimens. Each distinguishes some
// objects from others.

import Predicates

extension Museum {
    static let predicates: [(entity: String, formats: [String])] = [
        ("Exhibit", comparisons + textual + compounds + paths),
        (
            "Specimen",
            [
                "small == 32767", "small < 0", "middle >= 2147483647", "large == 9007199254740993",
                "large > 9007199254740992",
                "large == 9007199254740992.0 OR large == -1", "price == 0", "price > 1e30", "price < -1e30",
                "price > CAST(\"0\", \"NSDecimalNumber\") AND price < 1e-30", "ratio == 0.1", "ratio > 1e308",
                "ratio == share",
                "ratio != share", "share < 0.2 AND share > 0.05", "flag == YES", "flag == NO", "flag == nil",
                "flag != YES",
                "made == CAST(\"2001-01-01T00:00:00Z\", \"NSDate\")",
                "made < CAST(\"1900-01-01T00:00:00Z\", \"NSDate\")",
                "made > CAST(\"3000-01-01T00:00:00Z\", \"NSDate\")", "made == nil", "tag != nil",
                "tag == CAST(\"00000000-0000-0000-0000-000000000000\", \"NSUUID\")", "bytes == CAST(\"\", \"NSData\")",
                "link BEGINSWITH 'https://'", "link == ''", "title == ''", "title == nil", "rank == nil OR rank > 0",
                "large + 1 == 0", "place.floor > 5", "place == nil", "place.label BEGINSWITH 'f'",
                "isNew == YES AND flag == NO",
            ]
        ),
        (
            "Room",
            [
                "exhibits.@count == 0", "exhibits.@count > 2", "exhibits.worth.@sum > 50", "exhibits.@max.worth == 7",
                "ANY exhibits.name == 'zoo'", "ALL exhibits.worth == 7", "NONE exhibits.worth == 7",
                "SUBQUERY(exhibits, $e, $e.worth == 7 AND $e.price > 1).@count == 1", "wing == nil",
                "wing.name == 'north'",
                "wing.rooms.@count == 2", "area > 20 AND area < 25", "area == nil", "area == 0", "guards.@count == 1",
                "ANY guards.boss.name == 'Ann'", "ANY guards.friends.name == 'Ann' AND area > 25",
                "exhibits[FIRST].name == 'Ärger'", "exhibits[0].name == nil", "exhibits[SIZE] == 3",
            ]
        ),
        (
            "Guard",
            [
                "boss == nil", "boss.boss != nil", "team.@count == 2", "ANY team.team.name == 'Dee'",
                "partner.name == 'Cid'",
            ]
        ),
        ("Visitor", ["favourite == nil", "favourite.name == 'Ärger'", "ANY wishes.name == 'zoo'", "path.@count == 2"]),
    ]

    private static let comparisons = [
        "worth == 7", "worth != 7", "worth < 3", "worth <= 3", "worth > 9007199254740992", "worth >= 9007199254740992",
        "worth == nil", "worth != nil", "NOT worth == nil", "NOT worth > 3", "worth BETWEEN {0, 7}",
        "NOT worth BETWEEN {0, 7}", "worth IN {7, 100, nil}", "NOT worth IN {7, 100}", "worth == 7.0", "worth < 2.5",
        "price == 19.9", "price > 12345678901234567890.4", "price < 0", "price == 0", "price == worth",
        "made < CAST(0.7, \"NSDate\")", "made > CAST(\"2010-01-01T00:00:00Z\", \"NSDate\")", "worth * 2 == 14",
        "worth + number > 100", "abs:(number) < 3", "worth %% 2 == 1", "TERNARY(worth > 3, 1, 0) == 1", "5 < worth",
        "number == worth", "number != worth", "(worth & 4) != 0",
    ]

    private static let textual = [
        "name == 'Ärger'", "name ==[c] 'ÄRGER'", "name ==[cd] 'arger'", "name ==[d] 'Arger'", "name ==[c] 'strasse'",
        "name != 'zoo'", "name == nil", "name == ''", "name == 'Café'", "name == \"Cafe\\u0301\"", "name ==[d] 'Cafe'",
        "name BEGINSWITH 'z'", "name BEGINSWITH[c] 'z'", "name BEGINSWITH[cd] 'ar'", "name ENDSWITH 'o'",
        "name ENDSWITH[c] 'E'", "name CONTAINS 'r'", "name CONTAINS[cd] 'RG'", "name CONTAINS ''", "name CONTAINS '%'",
        "name CONTAINS '_'", "name CONTAINS '𝄞'", "name LIKE 'z*'", "name LIKE[c] 'z?*'", "name LIKE '*%*'",
        "name LIKE '?oo'",
        "name LIKE '*\\\\*d\\\\?*'", "name LIKE '*'", "name LIKE ''", "name MATCHES '[zZ].*'",
        "name MATCHES[c] '.*[äÄ].*'",
        "name IN {'zoo', 'Zebra'}", "name IN 'the zoo'", "name < 'a'", "name >= 'a'", "name <[c] 'b'", "name > 'zoo'",
        "name BETWEEN {'A', 'a'}", "name MATCHES 'line\\r\\nbreak'", "length:(name) == 3", "name.length > 10",
        "uppercase:(name) == 'ZOO'", "lowercase:(name) == 'zoo'", "canonical:(name) == 'cafe'",
        "name == \"nul\\u0000byte\"",
        "name BEGINSWITH 'nul'", "name ENDSWITH 'byte'", "section > 'A'",
    ]

    private static let compounds = [
        "worth == 7 AND section == 'B'", "worth == 7 OR section == 'A'", "NOT (worth == 7 OR section == 'A')",
        "worth > 0 AND NOT section == nil AND number < 5",
        "(worth == 7 OR worth == nil) AND (name != 'zoo' OR number == 2)",
        "TRUEPREDICATE AND worth == 7", "FALSEPREDICATE OR worth == 7", "NOT NOT worth == 7",
    ]

    private static let paths = [
        "room == nil", "room != nil", "room.name == 'red'", "room.name != 'red'", "room.wing.name == 'north'",
        "room.wing == nil", "room.area > 25", "NOT room.area > 25", "room.exhibits.@count == 3", "labels.@count == 2",
        "labels.@count == 0", "ANY labels.name == 'oil'", "NONE labels.name == 'oil'", "ALL labels.name == 'oil'",
        "ANY labels.name IN {'old', 'loan'}", "ANY labels.name BEGINSWITH 'o'",
        "NOT ANY labels.name == nil AND worth == 7",
        "SUBQUERY(labels, $l, $l.name == 'oil' OR $l.name == 'old').@count == 2", "labels.name CONTAINS 'loan'",
        "ANY tours.name == 'short'", "ANY labels.related.name == 'old'", "entity == 'Sketch'",
        "room.wing.rooms.@count == 1",
    ]

    static let orders: [(entity: String, orders: [String])] = [
        (
            "Exhibit",
            [
                "name", "-name", "name[c]", "name[cd],worth", "-name[cd],-worth", "section,-number", "worth",
                "-worth,name", "price",
                "-price", "made", "-made", "room.name,worth", "-room.wing.name,room.name,-name", "room.area",
            ]
        ),
        (
            "Specimen",
            [
                "small", "middle", "-large", "price", "-ratio", "share", "flag", "made", "-made", "bytes", "tag",
                "link", "-title",
                "place.label", "place.point.x",
            ]
        ),
        ("Guard", ["boss.name,name", "-boss.boss.name,-name", "post.wing.name,name"]),
    ]
}
