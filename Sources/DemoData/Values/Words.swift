// SPDX-License-Identifier: Apache-2.0

// The vocabulary of texts. It is deterministic for a seed, so that an object's texts are consistent.

enum Words {
    static let nouns = [
        "harbour", "lantern", "meadow", "granite", "orchard", "compass", "river", "cloud", "marble", "kettle", "willow",
        "bridge", "garden", "window", "pebble", "thunder", "copper", "feather", "island", "candle", "forest", "mirror",
        "anchor", "basket", "canyon", "desert", "engine", "falcon", "glacier", "hammer", "ladder", "market", "needle",
        "ocean", "pocket", "quarry", "ribbon", "saddle", "temple", "valley", "wagon", "cellar", "meteor", "paper",
        "signal", "spring", "summit", "tunnel", "velvet", "violin", "whistle", "winter", "acorn", "barley", "cedar",
        "delta", "ember", "fjord", "grove", "hollow", "ivory", "juniper", "ledge", "moss", "nutmeg", "opal",
    ]
    static let adjectives = [
        "amber", "quiet", "early", "bright", "hidden", "gentle", "silver", "distant", "plain", "broad", "narrow",
        "warm",
        "cold", "ancient", "modern", "little", "patient", "sudden", "steady", "golden", "hollow", "humble", "open",
        "round", "scarlet", "simple", "slow", "small", "sturdy", "swift", "tall", "thin", "weathered", "wide", "wild",
        "young",
    ]
    static let verbs = [
        "crosses", "follows", "holds", "lights", "meets", "moves", "shows", "turns", "covers", "carries", "finds",
        "opens", "passes", "reaches", "supports", "surrounds",
    ]
    static let prepositions = ["behind", "above", "near", "beside", "across from", "under", "beyond", "along"]
    static let firstNames = [
        "Ada", "Ben", "Clara", "Daniel", "Elena", "Felix", "Greta", "Hugo", "Ida", "Jonas", "Karin", "Leo", "Mara",
        "Nils", "Olga", "Paul", "Quentin", "Rosa", "Samir", "Tessa", "Uma", "Viktor", "Wanda", "Xenia", "Yusuf", "Zoe",
        "Amir", "Bela", "Chiara", "Dora", "Emil", "Farah", "Ines", "Kenji", "Lucia", "Milo", "Nadia", "Oscar",
    ]
    static let beginnings = [
        "Ash", "Birch", "Brook", "Clay", "East", "Elder", "Fern", "Glen", "Hazel", "Kings", "Lake", "Marsh", "North",
        "Oak", "Pine", "Red", "Rock", "Sand", "Stone", "Thorn", "West", "White", "Wind", "Wood",
    ]
    static let endings = [
        "bank", "beck", "field", "ford", "gate", "grove", "ham", "hill", "land", "ley", "mere", "more", "ridge",
        "side", "ton", "well", "wick", "worth",
    ]

    static func noun(_ seed: UInt64) -> String { nouns[place(seed, 0, nouns.count)] }
    static func adjective(_ seed: UInt64) -> String { adjectives[place(seed, 1, adjectives.count)] }
    static func firstName(_ seed: UInt64) -> String { firstNames[place(seed, 2, firstNames.count)] }

    /// A two-part name, for families and towns.
    static func compound(_ seed: UInt64) -> String {
        beginnings[place(seed, 3, beginnings.count)] + endings[place(seed, 4, endings.count)]
    }

    static func one(of words: [String], _ seed: UInt64) -> String { words[place(seed, 5, words.count)] }

    /// Simple sentences, each different.
    static func sentences(_ seed: UInt64, _ count: Int) -> String {
        (0..<count).map { number in
            var random = DemoRandom(seed: seed, stream: UInt64(number))
            return
                "The \(random.pick(adjectives)) \(random.pick(nouns)) \(random.pick(verbs)) the \(random.pick(nouns)) "
                + "\(random.pick(prepositions)) the \(random.pick(nouns))."
        }
        .joined(separator: " ")
    }

    /// A number below a limit, from different bits of the seed for each salt.
    static func place(_ seed: UInt64, _ salt: UInt64, _ limit: Int) -> Int {
        let mixed = (seed ^ (salt &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int((mixed ^ mixed >> 32) >> 16 & 0xFFFF_FFFF) % limit
    }
}

extension String {
    /// The text with a capital first letter.
    var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
