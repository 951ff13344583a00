import type { Download } from './download.ts';

/** An amount of money: whole minor units by the exponent of ISO 4217. 12345 is 123.45 in RON and 12345 in JPY. */
export interface Money {
  /** Minor units. */
  amount: number;
  /** ISO 4217. */
  currency: string;
}

/** A text by locale: `{ ro: 'Tricou', en: 'T-shirt' }`. */
export type LocalText = Record<string, string>;

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A hint of a response that succeeded. */
export interface Warning {
  code: string;
  /** For people, in the language of the request. */
  message: string;
  /** JSON pointer into the request; null if it is about all of it. */
  pointer?: string | null;
}

/** One page of a list. */
export interface Page<T> {
  /** Rows of this page. */
  data: T[];
  /** Place of the page in the list. */
  page: {
    /** Most rows of a page. */
    limit: number;
    /** Cursor of the next page; null on the last one. */
    nextCursor: string | null;
    /** Rows of the whole list, only with `total: true` in the query. */
    total?: number;
  };
  /** Hints about the list. */
  warnings?: Warning[];
}

/** A problem with one value of a request. */
export interface FieldError {
  /** JSON pointer into the body, or `?name` for a query parameter. */
  pointer: string;
  code: string;
  /** Continues a sentence that begins with the field's name. */
  message: string;
}

/** Body of an error response (RFC 9457). Some codes add further properties, such as `available` or `allowed`. */
export interface Problem {
  /** `urn:storeloom:error:` and the code. */
  type: string;
  title: string;
  /** HTTP status. */
  status: number;
  code: string;
  /** What went wrong in this case. */
  detail: string | null;
  /** Path of the request. */
  instance: string;
  /** Identifies the request in the server's log. */
  requestId: string;
  /** Invalid values. */
  errors: FieldError[];
  [property: string]: unknown;
}

/** Options that every method takes as its last argument. */
export interface CallOptions {
  /** Aborts the call, its retries included. The promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds for one attempt, response body included; of a download until its headers. Default: that of the client. */
  timeout?: number;
  /** Repeats after a failed attempt. Default: that of the client. */
  retries?: number;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** Key of a POST, 8 to 128 characters. Default: a random one. Set it to repeat a call of another process. */
  idempotencyKey?: string;
  /** Version that the object must have: PATCH, PUT and DELETE throw `VersionConflict` if it has another one. */
  ifMatch?: number | string;
  /** Languages of texts and messages, as in `Accept-Language`. Default: that of the client. */
  locale?: string;
}

/** A file of a request: form data with the property `file`, or a Blob or File, which is sent as that property. */
export type Upload = FormData | Blob;

/** Bytes of a request, sent as they are. A stream is sent once: such a call isn't retried. */
export type Bytes = Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array> | string;

/** A file of a response. */
export type { Download };
