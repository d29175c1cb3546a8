// SPDX-License-Identifier: Apache-2.0
public struct XMLAttribute: Hashable, Sendable { public var name: String; public var value: String }
public struct XMLElement: Hashable, Sendable { public var name: String }
