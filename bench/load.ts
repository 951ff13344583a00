import { Pool } from 'undici';
import { type Cpu, cpu, type Server } from './processes.ts';

export interface Figures {
  /** Requests per second. */
  rps: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU milliseconds per request. */
  server: number;
  database: number;
  requests: number;
  /** Unsuccessful or wrong responses, including the warm-up. */
  errors: number;
}
/** CPU milliseconds per request, server and database together. */
export const cost = ({ server, database }: Figures): number => server + database;
export const figuresLine = (name: string, { rps, p50, p99, server, database, errors }: Figures): string =>
  `${name}: ${rps.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, CPU ${server.toFixed(2)} + ${database.toFixed(2)} ms, ${errors} errors`;
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}
export interface LoadOptions {
  connections: number;
  seconds: number;
  postmaster: number;
  host: string;
  /** The next request of a caller; `state` belongs to the caller. */
  next(state: Map<string, string>): Call | Promise<Call>;
  /** Waits for work that the requests left to the background, so that its CPU is counted too. */
  settle?(): Promise<void>;
  /** Checks a response; false counts as an error. */
  check?(status: number, body: string, state: Map<string, string>): boolean;
}

const warmUp = 1000;

/** A closed loop: every caller sends its next request after the previous response. */
export async function load(server: Server, options: LoadOptions): Promise<Figures> {
  const pool = new Pool(server.base, { connections: options.connections, pipelining: 1 });
  const times: number[] = [];
  let errors = 0;
  const run = async (until: number, counted: boolean): Promise<number> => {
    let sent = 0;
    await Promise.all(
      Array.from({ length: options.connections }, async () => {
        const state = new Map<string, string>();
        while (performance.now() < until) {
          const { method, path, headers, body } = await options.next(state);
          const started = performance.now();
          sent++;
          const answer = await pool.request({ method, path, headers: { host: options.host, ...headers }, body: body ?? null });
          const text = await answer.body.text();
          if (counted) times.push(performance.now() - started);
          const success = answer.statusCode >= 200 && answer.statusCode < 300;
          // The check updates the caller's state for every response.
          const fine = (options.check?.(answer.statusCode, text, state) ?? true) && success;
          if (!fine) {
            errors++;
            if (errors <= 3) process.stderr.write(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}\n`);
          }
        }
      }),
    );
    return sent;
  };
  // The warm-up lasts until the code is compiled: a number of requests, independent of the program's speed.
  let warmed = 0;
  for (let until = performance.now() + 15_000; performance.now() < until && warmed < warmUp; )
    warmed += await run(performance.now() + 1000, false);
  await options.settle?.();
  const before: Cpu = cpu(server.pid, options.postmaster);
  const started = performance.now();
  await run(started + options.seconds * 1000, true);
  await options.settle?.();
  const elapsed = (performance.now() - started) / 1000;
  const after = cpu(server.pid, options.postmaster);
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    rps: times.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    server: (after.server - before.server) / times.length,
    database: (after.database - before.database) / times.length,
    requests: times.length,
    errors,
  };
}

let port = 0;
/** Returns the request's target in absolute form (RFC 9112, 3.2.2) with another port each time, for which no response is cached. */
export function uncached(host: string, path: string): string {
  port = (port % 65_535) + 1;
  return `http://${host}:${port}${path}`;
}
