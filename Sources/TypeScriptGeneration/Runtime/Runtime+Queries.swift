// SPDX-License-Identifier: Apache-2.0

// The types of queries, and their pages.

extension Runtime {
    static let queries = #"""
        // ----- Types of queries -----

        /** Which objects of an entity. */
        export interface ObjectSelection<E extends EntityName> extends RequestOptions {
          readonly where?: ObjectCondition<E>;
          /** Words to find in the texts that the model marks. Best match first, unless there is a `sort`. */
          readonly search?: string;
          /** Whether to find objects of subentities, too: true by default. */
          readonly includeSubentities?: boolean;
          /** Whether a draft shows its pending changes: true by default. */
          readonly includePending?: boolean;
        }

        /** Which objects of an entity, in which order. */
        export interface ListQuery<E extends EntityName> extends ObjectSelection<E> {
          readonly sort?: SortOrder<E> | readonly SortOrder<E>[];
          /** The number of objects on a page. */
          readonly limit?: number;
          readonly offset?: number;
          /** Where to continue: the `cursor` of a page. */
          readonly cursor?: string;
          /** Whether to count all objects, as `total`. */
          readonly count?: boolean;
        }

        /** What to show of objects. */
        export interface ShownParts<S, I> {
          /** The properties to return; by default all attributes and to-one relationships. */
          readonly select?: readonly S[];
          /** The relationships whose objects to embed. */
          readonly include?: I;
        }

        /** Objects, in which order, and what to show of them. */
        export type ObjectQuery<
          E extends EntityName,
          S = never,
          I = {},
          M extends ObjectMode = "stored",
        > = ListQuery<E> & ShownParts<S, I> & { readonly include?: Exact<I, ObjectInclude<E, M>> };

        /** The same for one object. */
        export type ReadOptions<
          E extends EntityName,
          S = never,
          I = {},
          M extends ObjectMode = "stored",
        > = RequestOptions & ShownParts<S, I> & { readonly include?: Exact<I, ObjectInclude<E, M>> };

        /** A list that stays up to date. `section` divides it by the values of the first key of `sort`. */
        export type LiveQuery<
          E extends EntityName,
          S = never,
          I = {},
          M extends ObjectMode = "stored",
        > = ObjectQuery<E, S, I, M> & { readonly section?: ValuePath<E>; readonly cursor?: never };

        /** A column that is computed of many objects. */
        export type AggregateColumn<E extends EntityName> =
          | { readonly count: ValuePath<E> }
          | { readonly countDistinct: ValuePath<E> }
          | { readonly sum: ValuePath<E> }
          | { readonly average: ValuePath<E> }
          | { readonly min: ValuePath<E> }
          | { readonly max: ValuePath<E> };
        export type AggregateColumns<E extends EntityName> = { readonly [name: string]: AggregateColumn<E> };

        /** Rows of values: of objects, or of groups of objects with aggregates. */
        export interface TableQuery<E extends EntityName, G extends string, A> extends ObjectSelection<E> {
          /** The key paths whose values are columns. With `aggregates`, a row is a group of objects with equal values. */
          readonly columns?: readonly G[];
          readonly aggregates?: A;
          /** A condition on groups, with the names of columns, such as predicate`posts > ${10}`. */
          readonly having?: PredicateFormat;
          /** The names of columns, with `-` for descending. */
          readonly sort?: TableOrder<Settled<G>, Settled<A>> | readonly TableOrder<Settled<G>, Settled<A>>[];
          readonly limit?: number;
          readonly offset?: number;
          readonly cursor?: string;
          /** Whether to leave out rows that are equal to others. */
          readonly distinct?: boolean;
        }
        /** A type that isn't inferred from this place. */
        type Settled<T> = [T][T extends unknown ? 0 : never];
        type TableOrder<G extends string, A> = G | `-${G}` | (keyof A & string) | `-${keyof A & string}`;

        export type TableRow<E extends EntityName, G extends string, A> = Flat<
          & { [P in G]: ValueAt<E, P> }
          & {
            [N in keyof A]: A[N] extends
              { readonly min: infer P extends string } | { readonly max: infer P extends string } ? ValueAt<E, P> | null
              : A[N] extends { readonly sum: infer P extends string }
                ? Extract<ValueAt<E, P>, string> extends never ? number
                : DecimalText
              : A[N] extends { readonly average: unknown } ? number | null
              : number;
          }
        >;

        /** One page of a list. */
        export class ResultPage<T> {
          readonly items: T[];
          /** Where the next page begins, or null if this is the last one. */
          readonly cursor: string | null;
          /** The number of all objects, with `count`. */
          readonly total: number | undefined;
          private readonly following: (cursor: string) => Promise<ResultPage<T>>;

          constructor(answer: ListAnswer<T>, following: (cursor: string) => Promise<ResultPage<T>>) {
            this.items = answer.items;
            this.cursor = answer.next == null ? null : cursorOf(answer.next);
            this.total = answer.total;
            this.following = following;
          }

          /** The next page, or null after the last one. */
          async next(): Promise<ResultPage<T> | null> {
            return this.cursor === null ? null : this.following(this.cursor);
          }
        }

        interface ListAnswer<T> {
          readonly items: T[];
          readonly next?: string | null;
          readonly total?: number;
        }

        /** The cursor in a link. Pages of groups are numbered: their cursor is "offset=" with a number. */
        function cursorOf(link: string): string | null {
          const query = new URLSearchParams(link.slice(link.indexOf("?") + 1));
          const offset = query.get("offset");
          return query.get("cursor") ?? (offset === null ? null : `offset=${offset}`);
        }
        """#
}
