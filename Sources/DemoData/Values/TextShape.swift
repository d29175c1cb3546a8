// SPDX-License-Identifier: Apache-2.0

// The form of texts, derived from the attribute's name.

enum TextShape: Sendable {
    case word, title, phrase, sentence, paragraphs
    case fullName, firstName, lastName, username
    case email, url, slug, path, file
    case street, city, zip, country, phone
    case color, code, version, day
    case choice([String])

    init(_ hint: NameHint) {
        switch true {
        case hint.has("email", "mail"): self = .email
        case hint.has("url", "link", "website", "homepage", "href", "uri"): self = .url
        case hint.has("slug", "permalink"): self = .slug
        case hint.has("username", "login", "handle", "nickname"), hint.has("user") && hint.ends("name"):
            self = .username
        case hint.has("first", "given", "forename") && hint.has("name", "forename"), hint.has("firstname"):
            self = .firstName
        case hint.has("last", "family", "surname") && hint.has("name", "surname"), hint.has("lastname", "surname"):
            self = .lastName
        case hint.has("color", "colour", "hex"): self = .color
        case hint.has("phone", "mobile", "fax", "telephone", "tel"): self = .phone
        case hint.has("street", "address"): self = .street
        case hint.has("city", "town", "place", "location", "venue", "region"): self = .city
        case hint.has("zip", "postal", "postcode"): self = .zip
        case hint.has("country"): self = .country
        case hint.has("currency"): self = .choice(["EUR", "USD", "GBP", "JPY", "CHF", "SEK"])
        case hint.has("language", "locale", "lang"): self = .choice(["en", "de", "fr", "it", "es", "sv"])
        case hint.has("timezone"), hint.has("zone"): self = .choice(["UTC", "Europe/Vienna", "Asia/Tokyo"])
        case hint.has("file", "filename", "image", "photo", "picture", "thumbnail"): self = .file
        case hint.ends("path"): self = .path
        case hint.has("version"): self = .version
        case hint.has("status", "state", "stage", "phase"): self = .choice(["draft", "active", "paused", "done"])
        case hint.has("role"): self = .choice(["reader", "editor", "owner"])
        case hint.has("priority", "severity", "level"): self = .choice(["low", "medium", "high"])
        case hint.has("kind", "type", "category", "genre", "topic"): self = .choice(Self.kinds)
        case hint.has("unit"): self = .choice(["kg", "g", "l", "pcs"])
        case hint.has("mime"): self = .choice(["text/plain", "image/png", "application/json"])
        case hint.has("body", "content", "article"): self = .paragraphs
        case hint.has(
            "text",
            "description",
            "bio",
            "notes",
            "note",
            "comment",
            "message",
            "summary",
            "about",
            "details"
        ):
            self = .sentence
        case hint.has("abstract", "excerpt", "review", "caption", "remark", "instructions"): self = .sentence
        case hint.ends("date", "day", "time"): self = .day
        case hint.has(
            "code",
            "sku",
            "identifier",
            "id",
            "key",
            "token",
            "reference",
            "serial",
            "hash",
            "isbn",
            "number"
        ):
            self = .code
        case hint.has("title", "headline", "subject", "heading"): self = .title
        case hint.ends("name"): self = Self.name(of: hint)
        default: self = .phrase
        }
    }

    private static let kinds = ["general", "travel", "music", "science", "sports", "food"]

    private static func name(of hint: NameHint) -> TextShape {
        let isPerson =
            hint.belongs(
                to: "user",
                "person",
                "contact",
                "author",
                "member",
                "customer",
                "employee",
                "patient",
                "student"
            )
            || hint.belongs(to: "teacher", "player", "owner", "friend", "account", "profile", "artist", "client")
        if isPerson { return .fullName }
        let isLabel = hint.belongs(to: "tag", "category", "label", "genre", "topic", "keyword")
        return isLabel ? .word : .phrase
    }

    func text(_ seed: UInt64) -> String {
        let noun = Words.noun(seed)
        let adjective = Words.adjective(seed)
        switch self {
        case .word: return noun
        case .title: return "The \(adjective.capitalised) \(noun.capitalised)"
        case .phrase: return "\(adjective.capitalised) \(noun)"
        case .sentence: return Words.sentences(seed, 1 + Words.place(seed, 6, 3))
        case .paragraphs:
            return (0..<2).map { Words.sentences(seed &+ $0, 3 + Words.place(seed, $0, 3)) }.joined(separator: "\n\n")
        case .fullName: return "\(Words.firstName(seed)) \(Words.compound(seed))"
        case .firstName: return Words.firstName(seed)
        case .lastName: return Words.compound(seed)
        case .username: return "\(Words.firstName(seed))_\(Words.compound(seed))".lowercased()
        case .email: return "\(Words.firstName(seed)).\(Words.compound(seed))@example.com".lowercased()
        case .url: return "https://example.com/\(adjective)-\(noun)"
        case .slug: return "\(adjective)-\(noun)"
        case .path: return "/\(Words.one(of: ["guides", "notes", "shop", "about"], seed))/\(noun)"
        case .file: return "\(adjective)-\(noun).png"
        case .street: return "\(1 + Words.place(seed, 7, 180)) \(noun.capitalised) Street"
        case .city: return Words.compound(seed)
        case .zip: return "\(10_000 + Words.place(seed, 8, 89_999))"
        case .country: return Words.one(of: ["AT", "CH", "DE", "FR", "IT", "JP", "NL", "SE"], seed)
        case .phone: return "+1 555 0\(100 + Words.place(seed, 9, 900))"
        case .color: return "#" + Self.padded(String(Words.place(seed, 10, 1 << 24), radix: 16), 6)
        case .code: return "\(noun.prefix(2).uppercased())-\(1000 + Words.place(seed, 11, 9000))"
        case .version: return "\(1 + Words.place(seed, 12, 4)).\(Words.place(seed, 13, 10)).0"
        case .day:
            let month = Self.padded("\(1 + Words.place(seed, 14, 12))", 2)
            return "2026-\(month)-\(Self.padded("\(1 + Words.place(seed, 15, 28))", 2))"
        case .choice(let words): return Words.one(of: words, seed)
        }
    }

    /// A text that is unique because it contains a number. It stays within the limit if the number fits.
    func unique(_ seed: UInt64, _ ordinal: Int, _ limit: Int) -> String {
        let number = "\(ordinal + 1)"
        switch self {
        case .color: return "#" + Self.padded(String(ordinal, radix: 16), 6)
        case .zip: return "\(10_000 + ordinal)"
        case .phone: return "+1 555 \(1000 + ordinal)"
        case .email:
            let domain = "@example.com"
            return Self.joined(String(text(seed).dropLast(domain.count)), ".", number, limit - domain.count) + domain
        case .url, .path: return Self.joined(text(seed), "/", number, limit)
        case .slug, .file: return Self.joined(Self.slug.text(seed), "-", number, limit)
        case .code: return Self.joined(String(Words.noun(seed).prefix(2).uppercased()), "-", number, limit)
        case .version: return Self.joined("1", ".", number, limit)
        case .username: return Self.joined(text(seed), "_", number, limit)
        case .word:
            // The first use of each word has no number.
            let words = Words.nouns
            let word = words[ordinal % words.count]
            return ordinal < words.count ? word : Self.joined(word, " ", "\(ordinal / words.count + 1)", limit)
        case .title, .phrase, .fullName, .firstName, .lastName, .city, .choice:
            return Self.joined(text(seed), " ", number, limit)
        case .sentence, .paragraphs, .street, .country, .day:
            return Self.joined(Self.phrase.text(seed), " ", number, limit)
        }
    }

    private static func joined(_ text: String, _ separator: String, _ number: String, _ limit: Int) -> String {
        let room = limit - number.utf8.count - 1
        return room > 0 ? text.prefix(room) + separator + number : number
    }

    private static func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
