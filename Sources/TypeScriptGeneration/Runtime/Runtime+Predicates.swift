// SPDX-License-Identifier: Apache-2.0

// Turns filters into predicates with arguments.

extension Runtime {
    static let predicates = #"""
        // ----- Predicates -----

        /** A value in a predicate. */
        export type PredicateValue =
          | string
          | number
          | boolean
          | null
          | Date
          | { readonly _id: string }
          | readonly PredicateValue[]
          | PredicateFormat;

        /** A predicate in the format language, with the values of its placeholders. */
        export class PredicateFormat {
          readonly format: string;
          readonly values: readonly unknown[];

          constructor(format: string, values: readonly unknown[]) {
            this.format = format;
            this.values = values;
          }
        }

        /** A predicate whose values are arguments and never parsed: predicate`views > ${10} AND author == ${user}`. */
        export function predicate(texts: TemplateStringsArray, ...values: PredicateValue[]): PredicateFormat {
          const args: unknown[] = [];
          const format = texts.map((
            text,
            place,
          ) => (place === 0 ? text : placeholder(values[place - 1] ?? null, args) + text));
          return new PredicateFormat(format.join(""), args);
        }

        /** What a model has that predicates need: how the properties of each entity are written. */
        export interface EntityShape {
          readonly path: string;
          readonly parent?: string;
          /** The entities that relationships refer to; in a list, if there can be several objects. */
          readonly relationships?: { readonly [name: string]: string | readonly string[] };
          /** The elements that are composites or JSON in turn, by composite attribute. */
          readonly composites?: { readonly [name: string]: CompositeShape };
          readonly json?: readonly string[];
        }
        export interface CompositeShape {
          /** The elements of a composite, or "json". */
          readonly [element: string]: CompositeShape | string;
        }
        export type ModelShape = { readonly [entity: string]: EntityShape };

        /** A member of an object that has names of its own only: not the `constructor` of every object. */
        function ownMember<T>(object: { readonly [name: string]: T } | undefined, name: string): T | undefined {
          return object !== undefined && Object.prototype.hasOwnProperty.call(object, name) ? object[name] : undefined;
        }

        /** Text for a value, which becomes an argument. Nil has no argument, and neither has a nested predicate itself. */
        function placeholder(value: unknown, args: unknown[]): string {
          if (value === null) return "nil";
          if (value instanceof PredicateFormat) {
            args.push(...value.values);
            return `(${value.format})`;
          }
          args.push(argument(value));
          return "%@";
        }

        /** A value as JSON has it. */
        function argument(value: unknown): unknown {
          if (Array.isArray(value)) return value.map(argument);
          if (value instanceof Date) return value.toISOString();
          if (typeof value === "number" && !Number.isFinite(value)) {
            throw new TypeError(`${value} can't be a value in a predicate.`);
          }
          return referenceOf(value) ?? value;
        }

        /** The reference of an object that was read or stands for one; undefined for other values. */
        function referenceOf(value: unknown): string | undefined {
          const id = typeof value === "object" && value !== null ? (value as { _id?: unknown })._id : undefined;
          return typeof id === "string" ? id : undefined;
        }

        /** An object that was read, in contrast to values for one. */
        function isObject(value: unknown): value is ObjectIdentity {
          return referenceOf(value) !== undefined && "_version" in (value as object) && "_entity" in (value as object);
        }

        const comparisons: { readonly [operator: string]: string } = {
          eq: "==",
          ne: "!=",
          lt: "<",
          lte: "<=",
          gt: ">",
          gte: ">=",
          in: "IN",
          notIn: "IN",
          between: "BETWEEN",
          contains: "CONTAINS",
          beginsWith: "BEGINSWITH",
          endsWith: "ENDSWITH",
          like: "LIKE",
          matches: "MATCHES",
        };

        /** Words that a key path can't begin with, except after `#`. */
        const reservedWords = new RegExp(
          "^(and|or|not|in|like|matches|contains|beginswith|endswith|between|any|some|all|none|null|nil|true|yes|false|" +
            "no|self|truepredicate|falsepredicate|anykey|first|last|size|subquery|ternary|cast|function|fetch)$",
          "i",
        );

        /** Turns filters into predicates. */
        class FilterCompiler {
          readonly values: unknown[] = [];
          private readonly model: ModelShape;
          /** Whether conditions without a value are left out. */
          private readonly skipsUndefined: boolean;
          private variables = 0;

          constructor(model: ModelShape, skipsUndefined: boolean) {
            this.model = model;
            this.skipsUndefined = skipsUndefined;
          }

          static format(model: ModelShape, entity: string, condition: unknown, skipsUndefined = true): PredicateFormat {
            if (condition instanceof PredicateFormat) return condition;
            const compiler = new FilterCompiler(model, skipsUndefined);
            return new PredicateFormat(compiler.condition(condition, entity, ""), compiler.values);
          }

          /** The members of a filter that have a value. */
          private members(filter: unknown): [string, unknown][] {
            return Object.entries(filter as object).filter(([name, value]) => {
              if (value === undefined && !this.skipsUndefined) {
                throw new TypeError(`The condition “${name}” has no value.`);
              }
              return value !== undefined;
            });
          }

          /** What holds of the object at a prefix: nothing, `author.` or `$m0.`. */
          private condition(condition: unknown, entity: string, prefix: string): string {
            if (condition instanceof PredicateFormat) {
              if (prefix !== "") {
                throw new TypeError("A predicate can't be a condition on a related object: write key paths.");
              }
              return placeholder(condition, this.values);
            }
            const terms = this.members(condition)
              .map(([key, value]) => this.term(key, value, entity, prefix));
            return terms.length === 0 ? "TRUEPREDICATE" : terms.join(" AND ");
          }

          private term(key: string, value: unknown, entity: string, prefix: string): string {
            const inner = (condition: unknown): string => `(${this.condition(condition, entity, prefix)})`;
            switch (key) {
              case "and":
                return (value as unknown[]).length === 0
                  ? "TRUEPREDICATE"
                  : (value as unknown[]).map(inner).join(" AND ");
              case "or":
                return (value as unknown[]).length === 0
                  ? "FALSEPREDICATE"
                  : `(${(value as unknown[]).map(inner).join(" OR ")})`;
              case "not":
                return `NOT ${inner(value)}`;
            }
            const name = key.startsWith("#") ? key.slice(1) : key;
            const path = prefix === "" ? headKey(name) : prefix + laterKey(name);
            const destination = this.property(entity, (shape) => ownMember(shape.relationships, name));
            if (typeof destination === "string") return this.toOne(path, value, destination);
            if (destination !== undefined) {
              return this.toMany(path, value as { [quantifier: string]: unknown }, destination[0] ?? "");
            }
            const composite = this.property(entity, (shape) => ownMember(shape.composites, name));
            if (composite !== undefined) return this.composite(path, value, composite);
            const isJSON = this.property(entity, (shape) => (shape.json?.includes(name) ? true : undefined)) ?? false;
            return isJSON ? this.json(path, value) : this.value(path, value);
          }

          /** What an entity or the nearest ancestor says. */
          private property<T>(entity: string, read: (shape: EntityShape) => T | undefined): T | undefined {
            for (let name: string | undefined = entity; name !== undefined;) {
              const shape: EntityShape | undefined = ownMember(this.model, name);
              const found = shape === undefined ? undefined : read(shape);
              if (found !== undefined) return found;
              name = shape?.parent;
            }
            return undefined;
          }

          private value(path: string, value: unknown): string {
            if (Array.isArray(value)) return `${path} IN ${placeholder(value, this.values)}`;
            if (
              typeof value !== "object" || value === null || value instanceof Date || referenceOf(value) !== undefined
            ) {
              return `${path} == ${placeholder(value, this.values)}`;
            }
            const { options, ...operators } = value as { options?: string; [operator: string]: unknown };
            const terms = this.members(operators)
              .map(([name, operand]) => {
                const operator = ownMember(comparisons, name);
                if (operator === undefined) {
                  throw new TypeError(`“${name}” isn't an operator; there are ${operatorNames}.`);
                }
                const fold = options === undefined ? "" : `[${options}]`;
                const term = `${path} ${operator}${fold} ${placeholder(operand, this.values)}`;
                return name === "notIn" ? `NOT (${term})` : term;
              });
            return terms.length === 0 ? "TRUEPREDICATE" : terms.join(" AND ");
          }

          private composite(path: string, value: unknown, shape: CompositeShape): string {
            if (value === null) return `${path} == nil`;
            const terms = this.members(value)
              .map(([name, element]) => {
                const inner = `${path}.${laterKey(name)}`;
                const part = ownMember(shape, name);
                if (typeof part === "string") return this.json(inner, element);
                return part === undefined ? this.value(inner, element) : this.composite(inner, element, part);
              });
            return terms.length === 0 ? "TRUEPREDICATE" : terms.join(" AND ");
          }

          private json(path: string, value: unknown): string {
            const { at, ...operators } = (value ?? { eq: null }) as { at?: { [path: string]: unknown } };
            const terms = this.members(at ?? {}).map(([keys, element]) =>
              this.value(`${path}.${keys.split(".").map(laterKey).join(".")}`, element)
            );
            if (Object.keys(operators).length > 0) terms.push(this.value(path, operators));
            return terms.length === 0 ? "TRUEPREDICATE" : terms.join(" AND ");
          }

          private toOne(path: string, value: unknown, entity: string): string {
            const isValue = typeof value !== "object" || value === null || Array.isArray(value) || isObject(value);
            return isValue ? this.value(path, value) : this.condition(value, entity, `${path}.`);
          }

          private toMany(path: string, quantifiers: { [quantifier: string]: unknown }, entity: string): string {
            const terms = this.members(quantifiers)
              .map(([quantifier, value]) => {
                switch (quantifier) {
                  case "any":
                    return this.quantity(path, value, entity, "> 0");
                  case "none":
                    return this.quantity(path, value, entity, "== 0");
                  case "all":
                    return this.quantity(path, { not: value }, entity, "== 0");
                  case "count":
                    return this.value(`${path}.@count`, value);
                  default:
                    throw new TypeError(`“${quantifier}” isn't a quantifier; there are any, all, none and count.`);
                }
              });
            return terms.length === 0 ? "TRUEPREDICATE" : terms.join(" AND ");
          }

          /** How many members a condition holds of. One comparison of several conditions needs the same member for all. */
          private quantity(path: string, condition: unknown, entity: string, count: string): string {
            const variable = `$m${this.variables++}`;
            const reference = typeof condition === "string" ? condition : isObject(condition) ? condition._id : undefined;
            const holds = reference === undefined
              ? this.condition(condition, entity, `${variable}.`)
              : `${variable} == ${placeholder(reference, this.values)}`;
            return `SUBQUERY(${path}, ${variable}, ${holds}).@count ${count}`;
          }
        }

        const operatorNames = Object.keys(comparisons).join(", ");

        /** A name at the beginning of a key path. */
        function headKey(name: string): string {
          return reservedWords.test(name) ? `#${name}` : laterKey(name);
        }

        /** A name after a dot. */
        function laterKey(name: string): string {
          return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `#"${name.replace(/["\\]/g, "\\$&")}"`;
        }
        """#
}
