// SPDX-License-Identifier: Apache-2.0

// The bytes of binary attributes.

extension Runtime {
    static let bytes = #"""
        // ----- Bytes -----

        /** The bytes of a binary attribute of one object. */
        export class BytesAttribute {
          private readonly route: ObjectRoute;
          private readonly path: string;

          constructor(route: ObjectRoute, path: string) {
            this.route = route;
            this.path = path;
          }

          /** The address, for `<img src>` where no token is needed. */
          get url(): string {
            return this.route.connection.url + this.path;
          }

          /** The bytes, or a range of them with both ends included. */
          async get(options: RequestOptions & { readonly range?: readonly [number, number] } = {}): Promise<Blob> {
            return (await this.response(options)).blob();
          }

          /** The answer, whose body is a stream. */
          async response(
            options: RequestOptions & { readonly range?: readonly [number, number] } = {},
          ): Promise<Response> {
            const headers: { [name: string]: string } = {};
            if (options.range !== undefined) headers["Range"] = `bytes=${options.range[0]}-${options.range[1]}`;
            return this.route.connection.send({ method: "GET", path: this.path, headers, ...signalOf(options) });
          }

          async set(
            content: NonNullable<RequestInit["body"]>,
            options: RequestOptions & { readonly type?: string; readonly ifMatch?: WriteOptions["ifMatch"] } = {},
          ): Promise<void> {
            const type = options.type ?? (content instanceof Blob ? content.type : "");
            const headers = {
              ...writeHeaders("PUT", options),
              "Content-Type": type === "" ? "application/octet-stream" : type,
            };
            // A stream can be sent once only.
            const isRepeatable = !(content instanceof ReadableStream);
            await this.route.connection.send({
              method: "PUT",
              path: this.path,
              headers,
              content,
              isRepeatable,
              ...signalOf(options),
            });
          }

          /** Sets the attribute to null. */
          async delete(options: WriteOptions = {}): Promise<void> {
            await this.route.write("DELETE", this.path, undefined, options);
          }
        }
        """#
}
