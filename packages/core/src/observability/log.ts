import { randomBytes } from 'node:crypto';
import type { Log } from '@storeloom/plugin-sdk';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { mappedFrame } from './mapped-stack.ts';
import { emailHasher, isSecretKey, type RedactOptions, redacted, redactText, redactValue } from './redact.ts';
import { traceId } from './trace.ts';

/** Fields of every line of a unit of work. */
interface LogBindings {
  request_id?: string;
  tenant_id?: string | null;
  user_id?: string | null;
  route?: string;
  plugin?: string;
  trace_id?: string;
  [name: string]: unknown;
}
/** The line of a response. Only the id comes from the caller. */
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
  /** Writes the line of a response. Without redaction, since its fields contain nothing to redact. */
  request(line: RequestLine): void;
  fatal(fields: Record<string, unknown>, message: string): void;
  /** Returns a log whose lines have the bindings as well. */
  child(bindings: LogBindings): KernelLog;
}
export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export interface LogOptions {
  level?: LogLevel;
  /** Default: standard output; standard error if the command's output is on standard output (`--json`). */
  to?: 'stdout' | 'stderr' | DestinationStream;
  /** Key of the e-mail hash, the same in every process. Without one, hashes are comparable within one process only. */
  hashKey?: string | Buffer;
  bindings?: LogBindings;
  /** True to log message and statement of database errors, which can contain values. For development. */
  databaseText?: boolean;
}

/**
 * Writes JSON lines. Fields and messages are redacted by property name and pattern; of database errors only stack, code and names are logged,
 * unless `databaseText` is set.
 */
export function createLog(options: LogOptions = {}): KernelLog {
  const redact: LogRedaction = {
    email: emailHasher(options.hashKey ?? randomBytes(32)),
    opaque: true,
    maxText: 8000,
    databaseText: options.databaseText ?? false,
  };
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
 * Buffers lines, since a write for each would double the time of a fast response: at most 0.2 s, until a warning, or the end of the process.
 * A write of several lines is at most as long as a pipe accepts atomically, so that the lines of several processes on one pipe aren't mixed;
 * a single longer line can be.
 */
function standard(to: 'stdout' | 'stderr'): DestinationStream {
  return destination({ dest: to === 'stdout' ? 1 : 2, sync: false, minLength: 2048, maxWrite: 4096, periodicFlush: 200 });
}

function wrap(logger: Logger, redact: LogRedaction): KernelLog {
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

function cleanFields(fields: Record<string, unknown>, redact: LogRedaction): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (isSecretKey(name)) copy[name] = value === null ? null : redacted;
    else copy[name] = value instanceof Error ? describeError(value, redact) : redactValue(value, redact);
  }
  return copy;
}

interface LogRedaction extends RedactOptions {
  databaseText: boolean;
}
interface DriverFields {
  /** Text of the statement, with placeholders. Set by the session. */
  statement?: unknown;
  code?: unknown;
  severity?: unknown;
  constraint?: unknown;
  table?: unknown;
  routine?: unknown;
  syscall?: unknown;
}
const sqlstate = /^[0-9A-Z]{5}$/;

/** Returns kind, stack and code of an error. Messages of the database contain values, so only SQLSTATE and names are kept. */
function describeError(error: Error, redact: LogRedaction, depth = 0): Record<string, unknown> {
  const { code, severity, constraint, table, routine, syscall, statement } = error as DriverFields;
  const driver = typeof severity === 'string' && typeof code === 'string' && sqlstate.test(code);
  const text = driver && redact.databaseText ? `database error ${code}: ${error.message}` : error.message;
  const message = driver && !redact.databaseText ? `database error ${code}` : redactText(text, redact);
  const described: Record<string, unknown> = { type: error.name, message, stack: frames(error) };
  if (driver)
    Object.assign(described, {
      sqlstate: code,
      ...(constraint ? { constraint } : {}),
      ...(table ? { table } : {}),
      ...(routine ? { routine } : {}),
      ...(redact.databaseText && typeof statement === 'string' ? { statement: redactText(statement, redact) } : {}),
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

/** Returns the frames of a stack without the message in its first lines. */
function frames(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => mappedFrame(line.trim().slice(3)));
}
