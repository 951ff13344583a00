import { Pool } from 'undici';
import { type Cpu, cpu, type Server } from './processes.ts';

export interface Figures {
  /** Requests a second. */
  rps: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU milliseconds a request. */
  server: number;
  database: number;
  requests: number;
  /** Answers that were no success, or not what was asked for; those of the warm-up too. */
  errors: number;
}
/** CPU milliseconds a request, of server and database together. */
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
  /** The next request of a caller; `state` is the caller's own. */
  next(state: Map<string, string>): Call | Promise<Call>;
  /** Looks at an answer; false counts as an error. */
  check?(status: number, body: string, state: Map<string, string>): boolean;
}

const warmUp = 1000;

/** A closed loop: every caller sends its next request when it has the answer to the last. */
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
          // The check keeps the caller's state, whatever the answer was.
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
  // Warm means compiled: as many requests as that takes, whatever the speed of the program.
  let warmed = 0;
  for (let until = performance.now() + 15_000; performance.now() < until && warmed < warmUp; )
    warmed += await run(performance.now() + 1000, false);
  const before: Cpu = cpu(server.pid, options.postmaster);
  const started = performance.now();
  await run(started + options.seconds * 1000, true);
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
