import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config.ts';
import { thrownMessage } from './fault.ts';

/** The installation's secrets, made at its first start. Keys are base64url of 32 random bytes. */
export interface Secrets {
  /** Random, not derived from anything: a restored backup or a renamed host stays the same installation. */
  readonly installation: string;
  readonly encryption: { readonly current: string; readonly keys: Readonly<Record<string, string>> };
  readonly hmac: string;
  /** Password of the runtime's database login. */
  readonly databasePassword: string;
}

export interface DataDir {
  readonly path: string;
  /** As read last. */
  readonly secrets: Secrets;
  /** Whether this opening made the secrets. */
  readonly fresh: boolean;
  /** Path of a file in the directory. `name` is `keys/admin.json`; it can't leave the directory. */
  file(name: string): string;
  /** The parsed file; undefined when it isn't there. */
  readJson(name: string): unknown;
  /** Replaces the file as a whole, mode 0600, on disk when it returns. */
  writeJson(name: string, value: unknown): void;
  /** Writes the file unless it is there. Of several processes that try at once one makes it, and all get its content. */
  createJson(name: string, make: () => unknown): { value: unknown; made: boolean };
  /** Reads the secrets again, after another process has rotated a key. */
  reload(): Secrets;
  /** New key for `seal`; old ones still open what they sealed. */
  rotateEncryptionKey(): Secrets;
}

const keyBytes = 32;
const key = z
  .string()
  .refine(
    (text) => Buffer.from(text, 'base64url').length === keyBytes && /^[\w-]+$/.test(text),
    `must be ${keyBytes} bytes in base64url`,
  );
const secretsSchema = z.object({
  installation: z.uuid(),
  encryption: z
    .object({ current: z.string(), keys: z.record(z.string().regex(/^[a-z0-9]{1,16}$/), key) })
    .refine(({ current, keys }) => Object.hasOwn(keys, current), 'the current key is missing'),
  hmac: key,
  databasePassword: z.string().min(24, 'is too short'),
});
const secretsFile = 'secrets.json';

const randomKey = (): string => randomBytes(keyBytes).toString('base64url');
const keyId = (): string => randomBytes(4).toString('hex');

function makeSecrets(): Secrets {
  const current = keyId();
  return {
    installation: randomUUID(),
    encryption: { current, keys: { [current]: randomKey() } },
    hmac: randomKey(),
    databasePassword: randomKey(),
  };
}

/**
 * Opens the data directory, makes it (0700; 0711 for root) and its secrets (0600) when they aren't there. Two processes that start at once end
 * with the same secrets.
 * @throws ConfigError when the directory can't be used, or a key in it is short or unreadable
 */
export function openDataDir(path: string): DataDir {
  makePrivate(path);
  const file = (name: string): string => {
    if (!/^[a-z0-9][\w-]*(\.[\w-]+)*(\/[a-z0-9][\w-]*(\.[\w-]+)*)?$/i.test(name))
      throw new Error(`${name} is no name of a data file`);
    return join(path, name);
  };
  const readJson = (name: string): unknown => {
    const text = read(file(name));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new ConfigError([`${file(name)} is no JSON (${thrownMessage(error)}); restore it from a backup`]);
    }
  };
  const createJson = (name: string, make: () => unknown): { value: unknown; made: boolean } => {
    const present = readJson(name);
    if (present !== undefined) return { value: present, made: false };
    const value = make();
    // A link appears with its content or not at all, and fails when the name is taken.
    const mine = writeTemporary(file(name), value);
    try {
      linkSync(mine, file(name));
      return { value, made: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return { value: readJson(name), made: false };
    } finally {
      rmSync(mine, { force: true });
    }
  };
  const writeJson = (name: string, value: unknown): void => renameSync(writeTemporary(file(name), value), file(name));
  const checked = (value: unknown): Secrets => {
    const result = secretsSchema.safeParse(value);
    if (result.success) return Object.freeze(result.data);
    throw new ConfigError(result.error.issues.map((issue) => `${file(secretsFile)}: ${issue.path.join('.')} ${issue.message}`));
  };

  const first = createJson(secretsFile, makeSecrets);
  let secrets = checked(first.value);
  const reload = (): Secrets => {
    secrets = checked(readJson(secretsFile));
    return secrets;
  };
  return {
    path,
    get secrets() {
      return secrets;
    },
    fresh: first.made,
    file,
    readJson,
    writeJson,
    createJson,
    reload,
    rotateEncryptionKey() {
      const { encryption, ...rest } = reload();
      const current = keyId();
      writeJson(secretsFile, { ...rest, encryption: { current, keys: { ...encryption.keys, [current]: randomKey() } } });
      return reload();
    },
  };
}

/**
 * Secrets that are new beside a database that has been used mean that the data directory was lost: what is sealed in the database
 * could never be opened again, so the boot stops. `known` is the installation's id in the database, undefined in an unused one.
 * @throws ConfigError
 */
export function checkSameInstallation(dataDir: DataDir, known: string | undefined): void {
  if (known === undefined || known === dataDir.secrets.installation) return;
  const made = dataDir.fresh ? 'has just been made' : `belongs to the installation ${dataDir.secrets.installation}`;
  throw new ConfigError([
    `the database belongs to the installation ${known}, but the data directory ${dataDir.path} ${made}: ` +
      'its keys do not open what the database holds. Restore the data directory, or set STORELOOM_DATA or DATABASE_URL to the other one',
  ]);
}

/** Where root runs the product the embedded database runs as another user, who has to pass through. */
export const dataDirMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

function makePrivate(path: string): void {
  try {
    // One that is there keeps its permissions, which are somebody's decision: the files in it are closed one by one.
    mkdirSync(path, { recursive: true, mode: dataDirMode() });
    if (!statSync(path).isDirectory()) throw new Error('it is no directory');
  } catch (error) {
    throw new ConfigError([
      `the data directory ${path} can't be used: ${thrownMessage(error)}. Give one of your own in STORELOOM_DATA`,
    ]);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the value beside its target, on disk when it returns. The caller renames or links it. */
function writeTemporary(target: string, value: unknown): string {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const path = `${target}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return path;
}
