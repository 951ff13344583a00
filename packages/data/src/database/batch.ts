import pg from 'pg';
import { typeParser } from './pool.ts';

export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Name of the prepared statement on each connection. */
  name?: string | undefined;
}
export interface BatchResult {
  rows: Record<string, unknown>[];
  /** Number of rows written or read. */
  count: number;
  /** `COMMIT`, `ROLLBACK`, `INSERT` … */
  command: string;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}
/** Internals of node-postgres' connection, with its record of prepared statements. */
interface Wire {
  /** Writes a message to the socket. */
  _send(message: Buffer): boolean;
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(portal: { type: 'P'; name: '' }): void;
  execute(portal: Record<string, never>): void;
  sync(): void;
}
// cast: node-postgres' types leave `utils` out.
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

/** Columns of named statements; those of a prepared statement can't change. */
const described = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();

/**
 * Several statements sent and answered in one round trip. They share one Sync, so without a BEGIN among them they are one transaction. After a
 * failure the later ones don't run.
 */
class Batch {
  readonly statements: readonly Statement[];
  private readonly results: BatchResult[] = [];
  private columns: readonly Column[] = [];
  private rows: Record<string, unknown>[] = [];
  private connection: pg.Connection | undefined;
  private failure: Error | undefined;
  /** Called by node-postgres with an error, or when the connection is ready; without results after a timeout. */
  callback!: (error: Error | null, results?: BatchResult[]) => void;

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
  }

  /** The statement being answered; node-postgres records prepared statements by these two. */
  get name(): string | undefined {
    return this.statements[this.results.length]?.name;
  }
  get text(): string | undefined {
    return this.statements[this.results.length]?.text;
  }

  submit(connection: pg.Connection): void {
    // cast: node-postgres' types describe the events of a connection, not its messages.
    const wire = connection as unknown as Wire;
    this.connection = connection;
    const known = columnsOf(connection);
    const fresh = new Set<string>();
    const messages: Buffer[] = [];
    // One buffer for one write: a vector of many small buffers costs the kernel several times as much.
    wire._send = (message) => messages.push(message) > 0;
    try {
      for (const { name = '', text, values } of this.statements) {
        if (name === '' || (wire.parsedStatements[name] === undefined && !fresh.has(name))) wire.parse({ name, text });
        if (name !== '') fresh.add(name);
        wire.bind({ statement: name, values, valueMapper: prepareValue });
        if (name === '' || !known.has(name)) wire.describe({ type: 'P', name: '' });
        wire.execute({});
      }
    } catch (error) {
      // A value can't be serialised: what was sent is answered and must be rolled back.
      this.failure = error as Error;
    } finally {
      wire.sync();
      // The method of the prototype again.
      delete (wire as Partial<Wire>)._send;
      wire._send(Buffer.concat(messages));
    }
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParser(dataTypeID) }));
    const { name } = this;
    if (name !== undefined) columnsOf(this.connection as pg.Connection).set(name, this.columns);
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.columns.length === 0) this.columns = columnsOf(this.connection as pg.Connection).get(this.name ?? '') ?? [];
    const { columns } = this;
    const row: Record<string, unknown> = {};
    for (let i = 0; i < fields.length; i++) {
      const text = fields[i] as string | null;
      const column = columns[i] as Column;
      row[column.name] = text === null ? null : column.parse(text);
    }
    this.rows.push(row);
  }
  handleCommandComplete({ text }: { text: string }): void {
    const { name } = this;
    if (name !== undefined) {
      const known = columnsOf(this.connection as pg.Connection);
      if (!known.has(name)) known.set(name, this.columns);
    }
    const words = text.split(' ');
    const count = Number(words.at(-1));
    this.results.push({ rows: this.rows, count: Number.isNaN(count) ? 0 : count, command: words[0] as string });
    this.rows = [];
    this.columns = [];
  }
  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }
  handleError(error: Error): void {
    this.callback(this.failure ?? error, this.results);
  }
  handleReadyForQuery(): void {
    this.callback(this.failure ?? null, this.results);
  }
}

function columnsOf(connection: pg.Connection): Map<string, readonly Column[]> {
  let known = described.get(connection);
  if (!known) described.set(connection, (known = new Map()));
  return known;
}

/** Runs statements under one Sync. Returns the results up to the first failure, and its error. */
export function runBatch(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<{ results: BatchResult[]; error: Error | null }> {
  return new Promise((resolve) => {
    const batch = new Batch(statements);
    batch.callback = (error, results = []) => resolve({ results, error });
    client.query(batch);
  });
}
