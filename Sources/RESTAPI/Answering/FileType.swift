// SPDX-License-Identifier: Apache-2.0

// Media types of files by extension.

enum FileType {
    private static let types = [
        "avif": "image/avif", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "gif": "image/gif",
        "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "map": "application/json",
        "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain; charset=utf-8", "wasm": "application/wasm",
        "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xml": "application/xml",
    ]

    /// The type of a file, or `application/octet-stream` for an unknown extension.
    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
        return types[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }
}
