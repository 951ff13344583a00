import { DatabaseRefused } from '@storeloom/core';
import { Problem } from '@storeloom/plugin-sdk';

const licenceRefused = new Set(['license_required', 'activation_limit']);
/** The licence server doesn't know the key, which over HTTP is a wrong value of the request. */
const unknownKey = (error: unknown): boolean =>
  error instanceof Problem &&
  error.extra.errors?.some(({ pointer, code }) => pointer === '/key' && code === 'not_found') === true;

/**
 * 0 done · 1 refused or failed, nothing half done · 2 usage or configuration · 3 done, with findings · 4 licence refused · 5 database
 * away, or it refuses · 129, 130, 143 asked to end by SIGHUP, SIGINT, SIGTERM before it was done.
 */
export function exitCodeOf(error: unknown): number {
  const { code, exitCode } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; exitCode?: unknown };
  if (typeof exitCode === 'number') return exitCode;
  const state = String(code ?? '');
  if (licenceRefused.has(state) || unknownKey(error)) return 4;
  // Errors of a connection that broke later than the first: what they are about is in their code alone.
  return state === 'ECONNREFUSED' || state === 'ECONNRESET' || state === 'ENOTFOUND' || /^(57P|08|28)/.test(state) ? 5 : 1;
}

/** What went wrong as a person reads it; with its stack where `STORELOOM_DEBUG` asks for it. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message || error.name;
  if (!process.env.STORELOOM_DEBUG || error instanceof DatabaseRefused) return text;
  return error.stack ?? text;
}
