// SPDX-License-Identifier: Apache-2.0

// The types of bodies that create and change objects.

extension Runtime {
    static let bodies = #"""
        // ----- Types of bodies -----

        /** What a new object takes. */
        export type NewObject<E extends EntityName, M extends ObjectMode = "stored"> = M extends "draft"
          ? PendingValues<EntityMap[E]["create"]> & Partial<EntityMap[E]["transient"]>
          : EntityMap[E]["create"];
        type PendingValues<C> = C extends unknown ? { [K in keyof C]?: C[K] | null } : never;

        /** What a change of an object takes: absent values stay as they are. */
        export type ObjectUpdate<E extends EntityName, M extends ObjectMode = "stored"> = M extends "draft"
          ? PendingValues<EntityMap[E]["update"]> & Partial<EntityMap[E]["transient"]>
          : EntityMap[E]["update"];

        /**
         * What a relationship takes: a reference, an object that was read, which stands for its reference, an object by
         * unique values, one that changes in the same save, or a new one.
         */
        export type RelatedObject<E extends EntityName, Inverse extends string = never> =
          | ObjectReference<E>
          | { readonly _id: ObjectReference<E> }
          | { readonly _id: EntityMap[E]["unique"] }
          | ({ readonly _id: ObjectReference<E> } & EntityMap[E]["update"])
          | ([Inverse] extends [never] ? EntityMap[E]["member"] : WithoutInverse<EntityMap[E]["member"], Inverse>);
        type WithoutInverse<C, Inverse extends string> = C extends unknown ? Omit<C, Inverse> : never;

        /** All members of a to-many relationship, or a change of some. */
        export type RelatedObjects<E extends EntityName, Inverse extends string = never> =
          | readonly RelatedObject<E, Inverse>[]
          | MemberChanges<E, Inverse>;
        export interface MemberChanges<E extends EntityName, Inverse extends string = never> {
          readonly add?: readonly RelatedObject<E, Inverse>[];
          readonly remove?: readonly ObjectReference<E>[];
        }

        /** The same for an ordered relationship, whose members have places from 0. */
        export type OrderedObjects<E extends EntityName, Inverse extends string = never> =
          | readonly RelatedObject<E, Inverse>[]
          | OrderedChanges<E, Inverse>;
        export interface OrderedChanges<E extends EntityName, Inverse extends string = never>
          extends MemberChanges<E, Inverse> {
          readonly move?: readonly { readonly _id: ObjectReference<E>; readonly to: number }[];
        }

        /** A new object in a transaction, where relationships may be set on their other side. */
        export type TransactionObject<E extends EntityName, M extends ObjectMode = "stored"> = M extends "draft"
          ? NewObject<E, M>
          : OptionalRelationships<EntityMap[E]["create"], ToOneKey<E> | ToManyKey<E>>;
        type OptionalRelationships<C, R extends string> = C extends unknown
          ? Flat<Omit<C, R> & Partial<Pick<C, Extract<keyof C, R>>>>
          : never;

        /** A new member of a relationship, which sets the other side. */
        export type NewMember<E extends EntityName, M extends ObjectMode = "stored"> = M extends "draft"
          ? PendingValues<EntityMap[E]["member"]> & Partial<EntityMap[E]["transient"]>
          : OptionalRelationships<EntityMap[E]["member"], ToOneKey<E> | ToManyKey<E>>;

        /** A row of a batch: attributes, and references to other objects. */
        export type BatchRow<E extends EntityName> = BatchValues<E, EntityMap[E]["create"]>;
        type BatchValues<E extends EntityName, C> = C extends unknown ? Flat<
            & Omit<C, ToOneKey<E> | ToManyKey<E>>
            & BatchReferences<E, Pick<C, Extract<keyof C, ToOneKey<E> | ToManyKey<E>>>>
          >
          : never;
        type BatchReferences<E extends EntityName, C> = {
          [R in keyof C]: R extends ToManyKey<E> ? readonly ObjectReference<DestinationName<E, R>>[]
            : ObjectReference<DestinationName<E, R>> | Extract<C[R], null>;
        };

        /** What a batch update sets: values, or expressions such as `{ expression: "views + 1" }`. */
        export type BatchAssignments<E extends EntityName> = {
          readonly [K in Exclude<KeyOfAny<EntityMap[E]["update"]>, ToManyKey<E>>]?: K extends ToOneKey<E>
            ? ObjectReference<DestinationName<E, K>> | null
            : Exclude<MemberOfAny<EntityMap[E]["update"], K>, NumberIncrement> | { readonly expression: string };
        };

        export interface RequestOptions {
          readonly signal?: AbortSignal;
        }

        export interface WriteOptions extends RequestOptions {
          /** The state that the change is based on: an object that was read, a version, or an ETag. Otherwise: 412. */
          readonly ifMatch?: string | number | ObjectIdentity;
          /** What to do if another request has changed the same, or has a unique value. */
          readonly merge?: MergePolicy;
          /** Who makes the change, in the history. */
          readonly author?: string;
          /** Answers what would happen, and saves nothing. */
          readonly dryRun?: boolean;
          /** Lists everything that was changed, in `_changed`. */
          readonly returnChanges?: boolean;
          /** Makes a repeat of a `POST` safe. By default each call has a key of its own, for its own repeats. */
          readonly idempotencyKey?: string;
        }
        """#
}
