import { randomBytes } from 'node:crypto';
import type { Log } from '@storeloom/plugin-sdk';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { emailHasher, isSecretKey, type RedactOptions, redacted, redactText, redactValue } from './redact.ts';
import { traceId } from './trace.ts';

/** Names that every line of a unit of work may carry. */
interface LogBindings {
  request_id?: string;
  tenant_id?: string | null;
  user_id?: string | null;
  route?: string;
  plugin?: string;
  trace_id?: string;
  [name: string]: unknown;
}
/** One answer: what the kernel itself knows of it, and nothing that a caller wrote but the id. */
interface RequestLine {
  request_id: string;
  tenant_id: string | undefined;
  method: string;
  /** The template, or `unmatched`. */
  route: string;
  plugin: string | undefined;
  status: number;
  /** Milliseconds. */
  ms: number;
}
export interface KernelLog extends Log {
  /** The line of an answer. Each request writes one, so it passes no redaction where nothing could be redacted. */
  request(line: RequestLine): void;
  fatal(fields: Record<string, unknown>, message: string): void;
  /** A log whose lines carry the bindings too. */
  child(bindings: LogBindings): KernelLog;
}
export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export interface LogOptions {
  level?: LogLevel;
  /** Default: standard output; standard error where standard output is taken by an answer (`--json`). */
  to?: 'stdout' | 'stderr' | DestinationStream;
  /** Key of the e-mail hash, the same in every process. Without one, hashes are equal within one process only. */
  hashKey?: string | Buffer;
  bindings?: LogBindings;
}

/** JSON lines. Every field and message is redacted by member name and by shape; errors keep their place, not their driver's text. */
export function createLog(options: LogOptions = {}): KernelLog {
  const redact: RedactOptions = { email: emailHasher(options.hashKey ?? randomBytes(32)), opaque: true, maxText: 8000 };
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const { to = 'stdout' } = options;
  const logger = pino(settings, typeof to === 'string' ? standard(to) : to);
  return wrap(logger.child(cleanFields(options.bindings ?? {}, redact)), redact);
}

/**
 * A write per line would cost a quick answer half its time, so lines wait for company: at most a fifth of a second, and not past a
 * warning, nor the end of the process. No write of several lines is longer than what a pipe takes in one piece, so that those of
 * several processes on one pipe stay whole; a line that is longer by itself may be torn there.
 */
function standard(to: 'stdout' | 'stderr'): DestinationStream {
  return destination({ dest: to === 'stdout' ? 1 : 2, sync: false, minLength: 2048, maxWrite: 4096, periodicFlush: 200 });
}

function wrap(logger: Logger, redact: RedactOptions): KernelLog {
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error' | 'fatal') =>
    (fields: Record<string, unknown>, message: string): void => {
      if (!logger.isLevelEnabled(level)) return;
      const trace = traceId();
      logger[level](
        cleanFields(trace === undefined ? fields : { trace_id: trace, ...fields }, redact),
        redactText(message, redact),
      );
      if (level !== 'debug' && level !== 'info') logger.flush();
    };
  return {
    request(fields) {
      if (!logger.isLevelEnabled('info')) return;
      const request_id = redactText(fields.request_id, redact);
      logger.info({ trace_id: traceId(), ...fields, request_id }, 'request');
    },
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
    child: (bindings) => wrap(logger.child(cleanFields(bindings, redact)), redact),
  };
}

function cleanFields(fields: Record<string, unknown>, redact: RedactOptions): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (isSecretKey(name)) copy[name] = value === null ? null : redacted;
    else copy[name] = value instanceof Error ? describeError(value, redact) : redactValue(value, redact);
  }
  return copy;
}

interface DriverFields {
  code?: unknown;
  severity?: unknown;
  constraint?: unknown;
  table?: unknown;
  routine?: unknown;
  syscall?: unknown;
}
const sqlstate = /^[0-9A-Z]{5}$/;

/** Kind, place and code of an error. A database's own text carries values of rows, so only its SQLSTATE and names stay. */
function describeError(error: Error, redact: RedactOptions, depth = 0): Record<string, unknown> {
  const { code, severity, constraint, table, routine, syscall } = error as DriverFields;
  const driver = typeof severity === 'string' && typeof code === 'string' && sqlstate.test(code);
  const message = driver ? `database error ${code}` : redactText(error.message, redact);
  const described: Record<string, unknown> = { type: error.name, message, stack: frames(error) };
  if (driver)
    Object.assign(described, {
      sqlstate: code,
      ...(constraint ? { constraint } : {}),
      ...(table ? { table } : {}),
      ...(routine ? { routine } : {}),
    });
  else if (typeof code === 'string' || typeof code === 'number') described.code = code;
  if (typeof syscall === 'string') described.syscall = syscall;
  if (error.cause instanceof Error && depth < 4) described.cause = describeError(error.cause, redact, depth + 1);
  if (error instanceof AggregateError && depth < 4)
    described.errors = error.errors
      .slice(0, 5)
      .map((inner) => (inner instanceof Error ? describeError(inner, redact, depth + 1) : redactValue(inner, redact)));
  return described;
}

/** The frames alone: the first lines of a stack repeat the message. */
function frames(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim().slice(3));
}
