import { ConfigError, RouteConflict } from '@storeloom/core';

const licenceRefused = new Set(['license_required', 'activation_limit']);

/** 0 done · 1 refused or failed, nothing half done · 2 usage or configuration · 3 done, with findings · 4 licence refused · 5 database away. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return 2;
  if (error instanceof RouteConflict) return 1;
  const code = (error as { code?: string }).code ?? '';
  if (licenceRefused.has(code)) return 4;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code.startsWith('57P') || code === '28P01' ? 5 : 1;
}

export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof RouteConflict) return error.message;
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: string }).code;
  if (code === 'EADDRINUSE') return `${error.message}\n  fix    stop what listens there, or choose another port with --port`;
  return process.env.STORELOOM_DEBUG ? (error.stack ?? error.message) : error.message;
}
