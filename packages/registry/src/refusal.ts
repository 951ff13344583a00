import type { ServerResponse } from 'node:http';

/** The reason for refusing a request. npm prints the text of a 403 but hides that of a 401, so 401 is never used. */
export type RefusalCode =
  | 'token_missing'
  | 'token_revoked'
  | 'license_expired'
  | 'not_in_license'
  | 'version_not_licensed'
  | 'not_a_publisher'
  | 'package_refused'
  | 'package_too_large'
  | 'too_many_requests'
  | 'license_unknown'
  | 'not_found';

const statuses: Partial<Record<RefusalCode, number>> = {
  package_refused: 400,
  package_too_large: 413,
  too_many_requests: 429,
  license_unknown: 503,
  not_found: 404,
};

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** `what` identifies the package or request, `fix` is the remedy. */
  constructor(code: RefusalCode, what: string, fix?: string, retryAfter?: number) {
    super(`${code}: ${what}${fix === undefined ? '' : `. ${fix}`}`);
    this.code = code;
    this.status = statuses[code] ?? 403;
    this.retryAfter = retryAfter;
  }
}

/** Characters allowed in a header. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);

/** npm prints `error` and the notice; other package managers print one of them. */
export function sendRefusal(res: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify({ error: refusal.message });
  res.writeHead(refusal.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'npm-notice': headerText(refusal.message),
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
  });
  res.end(body);
}

export function sendJson(res: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(value);
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  res.end(body);
}
