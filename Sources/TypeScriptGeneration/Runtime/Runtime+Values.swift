// SPDX-License-Identifier: Apache-2.0

// Values of attributes, and what all objects have.

extension Runtime {
    static let values = #"""
        // ----- Values -----

        /** Any JSON value. */
        export type JSONValue =
          | null
          | boolean
          | number
          | string
          | readonly JSONValue[]
          | { readonly [name: string]: JSONValue };

        /** A point in time for `new Date(…)`, such as "2026-11-21T09:30:00Z". After the year 9999: seconds since 2001. */
        export type DateTime = string;

        /** A decimal number with all its digits, such as "19.90". */
        export type DecimalText = string;

        /** Where the bytes of a binary attribute are, and how many. */
        export interface BinaryValue {
          readonly href: string;
          readonly bytes: number;
        }

        /** Bytes to write: themselves, or their base64 text. */
        export type BinaryInput = Uint8Array | string;

        /** Adds to the stored number, whatever it is by then. */
        export interface NumberIncrement {
          readonly $inc: number;
        }

        /** What every object has. */
        export interface ObjectIdentity {
          /** The reference, such as "posts/1". */
          readonly _id: string;
          /** The name of the entity. */
          readonly _entity: string;
          /** How often the object was saved. */
          readonly _version: number;
        }

        /** An object that a save has changed along with those in its answer. */
        export interface ObjectChange {
          readonly _id: string;
          readonly _entity: string;
          readonly _version: number;
          readonly change: "inserted" | "updated" | "deleted";
        }

        /** What `returnChanges` adds to an answer. */
        export interface WrittenChanges {
          readonly _changed?: readonly ObjectChange[];
        }

        /** The effect of a deletion. */
        export interface DeletionPreview {
          /** All objects that would be deleted. */
          readonly deleted: readonly string[];
          /** The relationships that would lose a member. */
          readonly nullified: readonly { readonly _id: string; readonly property: string }[];
        }

        /** Which value counts if another request has changed the same. */
        export type MergePolicy = "error" | "store" | "object" | "overwrite" | "rollback";
        """#
}
