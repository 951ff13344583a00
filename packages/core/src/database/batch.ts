import pg from 'pg';
import { typeParser } from './pool.ts';

export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Prepared under this name once a connection. */
  name?: string | undefined;
}
export interface BatchResult {
  rows: Record<string, unknown>[];
  /** Rows that a write touched, or a read gave. */
  count: number;
  /** `COMMIT`, `ROLLBACK`, `INSERT` … */
  command: string;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}
/** What node-postgres' connection does for its own queries, and its record of what it has prepared. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(portal: { type: 'P'; name: '' }): void;
  execute(portal: Record<string, never>): void;
  sync(): void;
}
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

/** Columns of named statements: PostgreSQL never lets those of a prepared statement change. */
const described = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();

/**
 * Several statements that go out in one write and are answered in one: they share the Sync at their end, and without a BEGIN among
 * them they are one transaction. The first that fails keeps the later ones from running.
 */
class Batch {
  readonly statements: readonly Statement[];
  private readonly results: BatchResult[] = [];
  private columns: readonly Column[] = [];
  private rows: Record<string, unknown>[] = [];
  private connection: pg.Connection | undefined;
  private failure: Error | undefined;
  /** node-postgres calls it with an error, or when the connection is ready for more; without results where no answer came in time. */
  callback!: (error: Error | null, results?: BatchResult[]) => void;

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
  }

  /** The statement that is being answered; node-postgres notes by these two what it has prepared. */
  get name(): string | undefined {
    return this.statements[this.results.length]?.name;
  }
  get text(): string | undefined {
    return this.statements[this.results.length]?.text;
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    this.connection = connection;
    const known = columnsOf(connection);
    const fresh = new Set<string>();
    wire.stream.cork();
    try {
      for (const { name = '', text, values } of this.statements) {
        if (name === '' || (wire.parsedStatements[name] === undefined && !fresh.has(name))) wire.parse({ name, text });
        if (name !== '') fresh.add(name);
        wire.bind({ statement: name, values, valueMapper: prepareValue });
        if (name === '' || !known.has(name)) wire.describe({ type: 'P', name: '' });
        wire.execute({});
      }
    } catch (error) {
      // A value that can't be written: what was sent is answered, nothing of it may stay.
      this.failure = error as Error;
    } finally {
      wire.sync();
      wire.stream.uncork();
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

/** Runs the statements under one Sync. Gives the results as far as they came, and the error of the one that failed after them. */
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
