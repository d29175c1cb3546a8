// SPDX-License-Identifier: Apache-2.0

// The types of objects as they are read, by what is selected and embedded.

extension Runtime {
    static let objects = #"""
        // ----- Types of objects -----

        /** The name of an entity. */
        export type EntityName = keyof EntityMap & string;

        /** Objects as they are stored, or as a draft has them, where nothing has to be valid yet. */
        export type ObjectMode = "stored" | "draft";

        /** A reference to an object of an entity, such as "posts/1". */
        export type ObjectReference<E extends EntityName = EntityName> = EntityMap[E]["reference"];

        /** An object by its reference, by its number, or itself. */
        export type ObjectTarget<E extends EntityName> =
          | ObjectReference<E>
          | number
          | { readonly _id: ObjectReference<E> };

        type IdentityKey = "_id" | "_entity" | "_version";
        type ToOneKey<E extends EntityName> = keyof EntityMap[E]["toOne"] & string;
        type ToManyKey<E extends EntityName> = keyof EntityMap[E]["toMany"] & string;
        type FetchedKey<E extends EntityName> = keyof EntityMap[E]["fetched"] & string;
        type BytesKey<E extends EntityName> = EntityMap[E]["bytes"] & string;
        type TransientKey<E extends EntityName> = keyof EntityMap[E]["transient"] & string;

        /** The entity that a relationship or a fetched property refers to. */
        type DestinationName<E extends EntityName, R> = [R] extends [keyof EntityMap[E]["toOne"]]
          ? EntityMap[E]["toOne"][R] & EntityName
          : [R] extends [keyof EntityMap[E]["toMany"]] ? EntityMap[E]["toMany"][R] & EntityName
          : [R] extends [keyof EntityMap[E]["fetched"]] ? EntityMap[E]["fetched"][R] & EntityName
          : never;

        type Flat<T> = { [K in keyof T]: T[K] };

        /** An object as it is read. In a draft any value may be null until it is saved. */
        export type EntityObject<E extends EntityName, M extends ObjectMode = "stored"> = M extends "draft"
          ? PendingObject<EntityMap[E]["object"], EntityMap[E]["transient"]>
          : EntityMap[E]["object"];
        type PendingObject<O, T> = O extends unknown
          ? Flat<{ [K in keyof O]: K extends IdentityKey ? O[K] : O[K] | null } & T>
          : never;

        /** What `select` may name. */
        export type SelectableKey<E extends EntityName, M extends ObjectMode = "stored"> =
          | (Exclude<keyof EntityMap[E]["object"], IdentityKey> & string)
          | ToManyKey<E>
          | "_highlight"
          | (M extends "draft" ? TransientKey<E> : never);

        /** The relationships whose objects to embed, each with what to show of them. */
        export type ObjectInclude<E extends EntityName, M extends ObjectMode = "stored"> =
          & {
            readonly [R in ToOneKey<E>]?: true | EmbeddedObject<DestinationName<E, R>, M>;
          }
          & {
            readonly [R in ToManyKey<E>]?: true | EmbeddedList<DestinationName<E, R>, M>;
          };
        interface EmbeddedObject<E extends EntityName, M extends ObjectMode> {
          readonly select?: readonly SelectableKey<E, M>[];
          readonly include?: ObjectInclude<E, M>;
        }
        interface EmbeddedList<E extends EntityName, M extends ObjectMode> extends EmbeddedObject<E, M> {
          readonly where?: ObjectCondition<E>;
          readonly sort?: SortOrder<E> | readonly SortOrder<E>[];
          readonly limit?: number;
        }

        /** An object with what `select` and `include` name. */
        export type ObjectResult<E extends EntityName, S = never, I = {}, M extends ObjectMode = "stored"> = EntityObject<
          E,
          M
        > extends infer O ? O extends unknown ? [S] extends [never] ? [keyof I] extends [never] ? O
              : Flat<Omit<O, keyof I & string> & Embedded<E, O, I, M>>
            : Flat<Pick<O, Exclude<Extract<keyof O, S | IdentityKey>, keyof I>> & Listed<E, S, I> & Embedded<E, O, I, M>>
          : never
          : never;
        /** To-many relationships that are selected are references; matches of a search are HTML by attribute. */
        type Listed<E extends EntityName, S, I> =
          & {
            [R in Exclude<Extract<S, ToManyKey<E>>, keyof I>]: ObjectReference<DestinationName<E, R>>[];
          }
          & { [K in Extract<S, "_highlight">]: { readonly [attribute: string]: string } };
        type Embedded<E extends EntityName, O, I, M extends ObjectMode> = {
          [R in keyof I & string]: R extends ToManyKey<E> ? EmbeddedResult<E, R, I[R], M>[]
            : EmbeddedResult<E, R, I[R], M> | (R extends keyof O ? Extract<O[R], null> : never);
        };
        type EmbeddedResult<E extends EntityName, R extends string, Options, M extends ObjectMode> = ObjectResult<
          DestinationName<E, R>,
          Options extends { readonly select: readonly (infer S)[] } ? S : never,
          Options extends { readonly include: infer I } ? I : {},
          M
        >;

        /** Refuses members that the other type doesn't have, at any depth. */
        type Exact<T, Shape> = T extends readonly unknown[] | Date | PredicateFormat ? T
          : T extends object ? { [K in keyof T]: K extends KeyOfAny<Shape> ? Exact<T[K], MemberOfAny<Shape, K>> : never }
          : T;
        type KeyOfAny<T> = T extends unknown ? keyof T : never;
        type MemberOfAny<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
        """#
}
