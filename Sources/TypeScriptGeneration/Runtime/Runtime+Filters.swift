// SPDX-License-Identifier: Apache-2.0

// The types of filters, key paths and sort orders.

extension Runtime {
    static let filters = #"""
        // ----- Types of filters and orders -----

        /** A filter of an entity's objects, or a predicate. */
        export type ObjectCondition<E extends EntityName> =
          | PredicateFormat
          | (EntityMap[E]["filter"] & IdentityFilter<E> & ConditionCombination<E>);

        /** The same for related objects, of which predicates can't say anything. */
        export type ObjectFilter<E extends EntityName> =
          & EntityMap[E]["filter"]
          & IdentityFilter<E>
          & FilterCombination<E>;

        interface IdentityFilter<E extends EntityName> {
          readonly _id?: ObjectReference<E> | readonly ObjectReference<E>[];
          readonly _entity?: string | readonly string[];
        }
        /** A property called `and`, `or` or `not`, or like a member of every object, is written as `"#and"`. */
        interface ConditionCombination<E extends EntityName> {
          readonly and?: readonly ObjectCondition<E>[];
          readonly or?: readonly ObjectCondition<E>[];
          readonly not?: ObjectCondition<E>;
        }
        interface FilterCombination<E extends EntityName> {
          readonly and?: readonly ObjectFilter<E>[];
          readonly or?: readonly ObjectFilter<E>[];
          readonly not?: ObjectFilter<E>;
        }

        /** How texts are compared: "c" ignores case, "d" diacritics. */
        export type TextOptions = "c" | "d" | "cd" | "n" | "l";

        export interface EqualityFilter<T> {
          readonly eq?: T | null;
          readonly ne?: T | null;
          readonly in?: readonly (T | null)[];
          readonly notIn?: readonly (T | null)[];
        }
        export interface RangeFilter<T> extends EqualityFilter<T> {
          readonly lt?: T;
          readonly lte?: T;
          readonly gt?: T;
          readonly gte?: T;
          /** Both bounds included. */
          readonly between?: readonly [T, T];
        }
        export interface TextOperators extends RangeFilter<string> {
          readonly contains?: string;
          readonly beginsWith?: string;
          readonly endsWith?: string;
          /** `?` is one character, `*` any number. */
          readonly like?: string;
          /** A regular expression for the whole text. */
          readonly matches?: string;
          readonly options?: TextOptions;
        }
        type ValueFilter<T, Operators> = T | null | readonly (T | null)[] | Operators;
        export type BooleanFilter = ValueFilter<boolean, EqualityFilter<boolean>>;
        export type NumberFilter = ValueFilter<number, RangeFilter<number>>;
        export type DecimalFilter = ValueFilter<number | string, RangeFilter<number | string>>;
        export type DateFilter = ValueFilter<Date | DateTime, RangeFilter<Date | DateTime>>;
        export type TextFilter = ValueFilter<string, TextOperators>;
        /** For values that are only equal or not, such as UUIDs. */
        export type IdentifierFilter = ValueFilter<string, EqualityFilter<string>>;
        /** For bytes: whether there are any. */
        export type PresenceFilter = null | { readonly eq?: null; readonly ne?: null };
        /** For JSON: whether there is any, and values at paths, such as `{ at: { "size.width": { gt: 3 } } }`. */
        export type JSONFilter =
          | null
          | {
            readonly eq?: null;
            readonly ne?: null;
            readonly at?: { readonly [path: string]: BooleanFilter | NumberFilter | TextFilter };
          };
        export type CompositeFilter<Elements> = null | Elements;
        /** The object itself, or what holds of it. */
        export type ToOneFilter<E extends EntityName> =
          | null
          | ObjectReference<E>
          | readonly (ObjectReference<E> | null)[]
          | ObjectFilter<E>;
        /** What holds of members. All conditions within `any` hold of the same one. */
        export interface ToManyFilter<E extends EntityName> {
          readonly any?: ObjectFilter<E> | ObjectReference<E>;
          readonly all?: ObjectFilter<E>;
          readonly none?: ObjectFilter<E> | ObjectReference<E>;
          readonly count?: number | RangeFilter<number>;
        }

        /** The key paths with single values that have an order: of the object, its composites, and related objects. */
        export type ValuePath<E extends EntityName> =
          | OwnPath<E>
          | { [R in ToOneKey<E>]: `${R}.${OwnPath<DestinationName<E, R>>}` }[ToOneKey<E>]
          | `${ToManyKey<E>}.@count`;
        type OwnPath<E extends EntityName> =
          | "_id"
          | PlainKey<E>
          | { [K in CompositeKey<E>]: `${K}.${keyof NonNullable<EntityMap[E]["object"][K]> & string}` }[CompositeKey<E>]
          | `${EntityMap[E]["json"] & string}.${string}`;
        type CompositeKey<E extends EntityName> = EntityMap[E]["composites"] & keyof EntityMap[E]["object"] & string;
        type PlainKey<E extends EntityName> = Exclude<
          keyof EntityMap[E]["object"] & string,
          "_version" | "_entity" | ToOneKey<E> | BytesKey<E> | CompositeKey<E> | EntityMap[E]["json"]
        >;

        /** The type of the values at a key path. */
        export type ValueAt<E extends EntityName, P extends string> = P extends "_id" ? ObjectReference<E>
          : P extends keyof EntityMap[E]["object"] ? EntityMap[E]["object"][P]
          : P extends `${string}.@count` ? number
          : P extends `${infer K}.${infer Rest}` ? K extends ToOneKey<E> ?
                | ValueAt<DestinationName<E, K>, Rest>
                | Extract<EntityMap[E]["object"][K & keyof EntityMap[E]["object"]], null>
            : K extends CompositeKey<E> ? MemberOfAny<NonNullable<EntityMap[E]["object"][K]>, Rest> | null
            : JSONValue
          : never;

        /** A key path, with `-` for descending, or with how texts are compared. */
        export type SortOrder<E extends EntityName> =
          | ValuePath<E>
          | `-${ValuePath<E>}`
          | { readonly key: ValuePath<E>; readonly descending?: boolean; readonly options?: TextOptions };
        """#
}
