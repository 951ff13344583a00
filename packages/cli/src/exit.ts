interface Thrown {
  code?: unknown;
  exitCode?: unknown;
  extra?: { errors?: readonly { pointer?: string; code?: string; message?: string }[] };
}

const licenceRefused = new Set(['license_required', 'activation_limit']);
/** The licence server doesn't know the key; over HTTP this is a 422 of the request. */
const unknownKey = ({ extra }: Thrown): boolean =>
  extra?.errors?.some(({ pointer, code }) => pointer === '/key' && code === 'not_found') === true;

/**
 * Exit codes: 0 success · 1 refused or failed, without partial changes · 2 usage or configuration · 3 completed with findings ·
 * 4 licence refused · 5 database unreachable or refusing · 129, 130, 143 interrupted by SIGHUP, SIGINT, SIGTERM.
 */
export function exitCodeOf(error: unknown): number {
  // By their properties: a command that works without the installed release doesn't load the classes.
  const thrown: Thrown = typeof error === 'object' && error !== null ? error : {};
  const { code, exitCode } = thrown;
  if (typeof exitCode === 'number') return exitCode;
  const state = String(code ?? '');
  if (licenceRefused.has(state) || unknownKey(thrown)) return 4;
  // Errors of a connection lost after startup identify themselves only by their code.
  return state === 'ECONNREFUSED' || state === 'ECONNRESET' || state === 'ENOTFOUND' || /^(57P|08|28)/.test(state) ? 5 : 1;
}

/** A line for each field that a problem names. */
function fieldLines({ extra }: Thrown & Error): string[] {
  return (extra?.errors ?? []).map(({ pointer = '', message = '' }) => `  ${pointer.slice(1)}: ${message}`);
}

/** The message of an error for people, with its stack if `STORELOOM_DEBUG` is set. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = [error.message || error.name, ...fieldLines(error)].join('\n');
  if (!process.env.STORELOOM_DEBUG || error.name === 'DatabaseRefused') return text;
  return error.stack ?? text;
}
