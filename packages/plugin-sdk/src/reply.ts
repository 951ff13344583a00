import type { Readable } from 'node:stream';
import { branded } from './brand.ts';
import type { Ctx } from './context.ts';

const replyBrand = Symbol.for('storeloom.reply');
const fileBrand = Symbol.for('storeloom.file-reply');
const jsonBrand = Symbol.for('storeloom.json-text');

/** An answer that is more than a 200 with a body. Plain values returned by a handler are 200 (201 with `Location` for creates made by `created`). */
export class Reply<B = unknown> {
  readonly [replyBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is Reply {
    return branded(this, Reply, replyBrand, value);
  }
  readonly status: number;
  readonly body: B;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Version for the ETag of one object. */
  readonly version?: number;
  /** Runs after the commit, outside any transaction; what it returns is the body that the caller (and a replay of the key) gets. */
  readonly after?: (ctx: Ctx) => Promise<B>;
  constructor(
    status: number,
    body: B,
    options: { headers?: Record<string, string | string[]>; version?: number; after?: (ctx: Ctx) => Promise<B> } = {},
  ) {
    this.status = status;
    this.body = body;
    this.headers = options.headers ?? {};
    if (options.version !== undefined) this.version = options.version;
    if (options.after) this.after = options.after;
  }
}

export function reply<B>(status: number, body: B, headers: Record<string, string | string[]> = {}): Reply<B> {
  return new Reply(status, body, { headers });
}
/** 201 + `Location`. */
export function created<B extends { id?: string | null }>(location: string, body: B): Reply<B> {
  return new Reply(201, body, { headers: { location } });
}
/** 202: where to look is in the body. */
export function accepted<B>(body: B): Reply<B> {
  return new Reply(202, body);
}
/** 204. */
export function noContent(): Reply<undefined> {
  return new Reply(204, undefined);
}
/** Commits, then runs `after` outside any transaction (a provider call with its own short transactions), and answers with what it returns. */
export function commitThen<B>(
  status: number,
  body: B,
  after: (ctx: Ctx) => Promise<B>,
  headers: Record<string, string | string[]> = {},
): Reply<B> {
  return new Reply(status, body, { after, headers });
}

/** A file or stream; `name` makes it an attachment. */
export class FileReply {
  readonly [fileBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is FileReply {
    return branded(this, FileReply, fileBrand, value);
  }
  readonly content: Readable | Buffer | string;
  readonly type: string;
  readonly name?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  constructor(
    content: Readable | Buffer | string,
    options: { type: string; name?: string; headers?: Record<string, string>; status?: number },
  ) {
    this.content = content;
    this.type = options.type;
    if (options.name !== undefined) this.name = options.name;
    this.headers = options.headers ?? {};
    this.status = options.status ?? 200;
  }
}
export function file(
  content: Readable | Buffer | string,
  options: { type: string; name?: string; headers?: Record<string, string> },
): FileReply {
  return new FileReply(content, options);
}

/** JSON text made by PostgreSQL, sent as it is (hot storefront reads). */
export class JsonText {
  readonly [jsonBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is JsonText {
    return branded(this, JsonText, jsonBrand, value);
  }
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export interface Page<R> {
  data: R[];
  page: { limit: number; nextCursor: string | null; total?: number };
}
/** An answer that is an array but never pages is a list all the same. */
export function listOf<R>(data: R[]): Page<R> {
  return { data, page: { limit: Math.max(data.length, 1), nextCursor: null } };
}

export interface Warning {
  code: string;
  message: string;
  pointer?: string;
}
