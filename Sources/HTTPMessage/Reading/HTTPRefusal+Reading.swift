// SPDX-License-Identifier: Apache-2.0

// Refusals of malformed or too large requests.

extension HTTPRefusal {
    static func malformed(_ message: String, hint: String? = nil) -> HTTPRefusal {
        var refusal = HTTPRefusal(.badRequest, message)
        refusal.hint = hint
        return refusal
    }

    /// For text that must be percent-encoded, such as `where=title == %@`.
    static func unescaped(_ message: String) -> HTTPRefusal {
        malformed(
            message,
            hint:
                "In a URL, write a percent sign as %25 and a space as %20; curl -G --data-urlencode 'name=value' encodes them."
        )
    }

    static func requestLineTooLong(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .uriTooLong,
            "The request line has more than \(limits.requestLine) bytes.",
            limit: "requestLine"
        )
    }

    static func fieldLineTooLong(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .headerFieldsTooLarge,
            "A header field has more than \(limits.fieldLine) bytes.",
            limit: "fieldLine"
        )
    }

    static func fieldsTooLarge(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .headerFieldsTooLarge,
            "The header fields have more than \(limits.fieldBytes) bytes in total.",
            limit: "fieldBytes"
        )
    }

    static func tooManyFields(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .headerFieldsTooLarge,
            "There are more than \(limits.fieldCount) header fields.",
            limit: "fieldCount"
        )
    }

    static func trailersTooLarge(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .headerFieldsTooLarge,
            "The trailer fields have more than \(limits.trailerBytes) bytes in total.",
            limit: "trailerBytes"
        )
    }

    static func chunkLineTooLong(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .contentTooLarge,
            "The size line of a chunk has more than \(limits.chunkLine) bytes.",
            limit: "chunkLine"
        )
    }

    static func chunkExtensionsTooLarge(_ limits: HTTPReadLimits) -> HTTPRefusal {
        HTTPRefusal(
            .contentTooLarge,
            "The chunk extensions have more than \(limits.chunkExtensions) bytes in total.",
            limit: "chunkExtensions"
        )
    }

    static func bodyTooLarge(_ limit: Int) -> HTTPRefusal {
        HTTPRefusal(.contentTooLarge, "The body has more than \(limit) bytes.", limit: "body")
    }
}
