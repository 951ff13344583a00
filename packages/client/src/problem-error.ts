import type { FieldError, Problem } from './values.ts';

/** Base of all errors of the client. Also what it throws for a failure that isn't a response of the API. */
export class StoreloomError<C extends string = string> extends Error {
  /** Code of the problem, such as `insufficient_stock`; of the client's own errors `connection_failed`, `timeout` and others. */
  readonly code: C;
  /** @internal */
  constructor(code: C, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = nameOf(code);
  }
}

/**
 * The API refused a request. `instanceof` works with the class of a code too:
 *
 * ```ts
 * import { InsufficientStock } from '@storeloom/client/errors';
 * if (error instanceof InsufficientStock) show(error.problem.available);
 * ```
 */
export class ProblemError<C extends string = string> extends StoreloomError<C> {
  /** HTTP status. */
  readonly status: number;
  /** Short description, the same for every occurrence of the code. */
  readonly title: string;
  /** What went wrong in this case. */
  readonly detail: string | null;
  /** Identifies the request in the server's log. */
  readonly requestId: string;
  /** Invalid values of the request. */
  readonly errors: readonly FieldError[];
  /** The errors by JSON pointer. */
  readonly pointers: Readonly<Record<string, FieldError>>;
  /** Address of the page about the code. */
  readonly docs: string;
  /** The whole body, with the properties that the code adds. */
  readonly problem: Problem;
  /** Time until the next attempt, in milliseconds, if the response states it. */
  readonly retryAfter: number | undefined;
  /** @internal */
  constructor(problem: Problem, docs: string, retryAfter: number | undefined) {
    super(problem.code as C, problem.detail ?? problem.title);
    this.problem = problem;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.errors = problem.errors;
    this.pointers = Object.fromEntries(problem.errors.map((error) => [error.pointer, error]));
    this.docs = docs;
    this.retryAfter = retryAfter;
  }
}

/** The class of one code, for `instanceof`. */
export interface ProblemClass<C extends string> {
  /** The code. */
  readonly code: C;
  /** Type of the errors. */
  readonly prototype: ProblemError<C>;
  /** Tells whether an error has this code. */
  [Symbol.hasInstance](value: unknown): value is ProblemError<C>;
}

/**
 * Returns the class of a problem code. The client throws `ProblemError` and the class recognises it by its code, so a bundle contains only
 * the classes that an app imports.
 */
export function problemClass<C extends string>(code: C): ProblemClass<C> {
  const type = class extends ProblemError<C> {
    static readonly code = code;
    static override [Symbol.hasInstance](value: unknown): value is ProblemError<C> {
      return value instanceof ProblemError && value.code === code;
    }
  };
  return Object.defineProperty(type, 'name', { value: nameOf(code) });
}

/** No response: the connection failed. `cause` is the error of `fetch`. */
export const ConnectionFailed: ErrorClass<'connection_failed'> = /* @__PURE__ */ errorClass('connection_failed');

/** No response within `timeout`. */
export const Timeout: ErrorClass<'timeout'> = /* @__PURE__ */ errorClass('timeout');

/** The response isn't one of the API, such as the error page of a proxy. */
export const UnexpectedResponse: ErrorClass<'unexpected_response'> = /* @__PURE__ */ errorClass('unexpected_response');

/** The class of one code of the client's own errors, for `instanceof`. */
export interface ErrorClass<C extends string> {
  /** Type of the errors. */
  readonly prototype: StoreloomError<C>;
  /** Tells whether an error has this code. */
  [Symbol.hasInstance](value: unknown): value is StoreloomError<C>;
}
function errorClass<C extends string>(code: C): ErrorClass<C> {
  return class extends StoreloomError<C> {
    static override [Symbol.hasInstance](value: unknown): value is StoreloomError<C> {
      return value instanceof StoreloomError && value.code === code;
    }
  };
}

/** `insufficient_stock` → `InsufficientStock`. */
const nameOf = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
