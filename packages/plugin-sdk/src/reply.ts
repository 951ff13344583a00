import type { Readable } from 'node:stream';
import { branded } from './brand.ts';
import type { Ctx, PlatformCtx } from './context.ts';

const replyBrand = Symbol.for('storeloom.reply');
const fileBrand = Symbol.for('storeloom.file-reply');
const jsonBrand = Symbol.for('storeloom.json-text');

/** Options of a reply. */
export interface ReplyOptions<B> {
  /** Further headers. */
  headers?: Record<string, string | string[]>;
  /** Version of one object, sent as ETag. */
  version?: number;
  /** Runs after the commit; its result is the body. */
  after?(ctx: Ctx | PlatformCtx): Promise<B>;
}

/** A response that is more than 200 with a body. Return a plain value from a handler for 200. */
export class Reply<B = unknown> {
  readonly [replyBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is Reply {
    return branded(this, Reply, replyBrand, value);
  }
  /** HTTP status. */
  readonly status: number;
  /** Body, serialised as JSON. */
  readonly body: B;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Version of one object, sent as ETag. */
  readonly version?: number;
  /**
   * Runs after the commit, outside any transaction; its result is the body that the caller, and a repeat of the idempotency key,
   * gets.
   */
  after?(ctx: Ctx | PlatformCtx): Promise<B>;
  constructor(status: number, body: B, options: ReplyOptions<B> = {}) {
    this.status = status;
    this.body = body;
    this.headers = options.headers ?? {};
    if (options.version !== undefined) this.version = options.version;
    if (options.after) this.after = options.after;
  }
}

/** Returns a response with this status, body and headers. */
export function reply<B>(status: number, body: B, headers: Record<string, string | string[]> = {}): Reply<B> {
  return new Reply(status, body, { headers });
}
/** Returns a 201 with `Location`. */
export function created<B extends { id?: string | null }>(location: string, body: B): Reply<B> {
  return new Reply(201, body, { headers: { location } });
}
/** Returns a 202; the body says where to follow the progress. */
export function accepted<B>(body: B): Reply<B> {
  return new Reply(202, body);
}
/** Returns a 204. */
export function noContent(): Reply<undefined> {
  return new Reply(204, undefined);
}
/**
 * Commits, then runs `after` outside any transaction (a provider call with its own short transactions), and answers with its
 * result. `C` is the kind of the handler's own context.
 */
export function commitThen<B, C extends Ctx | PlatformCtx = Ctx>(
  status: number,
  body: B,
  after: (ctx: C) => Promise<B>,
  headers: Record<string, string | string[]> = {},
): Reply<B> {
  return new Reply(status, body, { after, headers });
}

/** A file or stream as response. */
export class FileReply {
  readonly [fileBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is FileReply {
    return branded(this, FileReply, fileBrand, value);
  }
  /** Content; a stream is sent as it is read. */
  readonly content: Readable | Buffer | string;
  /** Media type. */
  readonly type: string;
  /** File name; sends the content as an attachment. */
  readonly name?: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP status. Default 200. */
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
/** Returns a response with a file or stream; `name` makes it an attachment. */
export function file(
  content: Readable | Buffer | string,
  options: { type: string; name?: string; headers?: Record<string, string> },
): FileReply {
  return new FileReply(content, options);
}

/** JSON produced by PostgreSQL, sent as it is (frequent storefront reads). */
export class JsonText {
  readonly [jsonBrand] = true;
  static [Symbol.hasInstance](value: unknown): value is JsonText {
    return branded(this, JsonText, jsonBrand, value);
  }
  /** JSON. */
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A page of a list. */
export interface Page<R> {
  /** Rows of the page. */
  data: R[];
  /** Page size, cursor of the next page (null on the last one), and number of rows if `total=true`. */
  page: { limit: number; nextCursor: string | null; total?: number };
}
/** Returns a list that isn't paged in the shape of a page. */
export function listOf<R>(data: R[]): Page<R> {
  return { data, page: { limit: Math.max(data.length, 1), nextCursor: null } };
}

/** A warning in a response that succeeded. */
export interface Warning {
  code: string;
  /** Text for the caller. */
  message: string;
  /** JSON pointer into the request. */
  pointer?: string;
}
