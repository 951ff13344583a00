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
import { ConfigError } from './config-error.ts';
import { thrownMessage } from './reason.ts';

/** The installation's secrets, created at its first start. Keys are base64url of 32 random bytes. */
export interface Secrets {
  /** Random id: a restored backup or a renamed host stays the same installation. */
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
  /** True if this call created the secrets. */
  readonly fresh: boolean;
  /** Returns the path of a file in the directory, `keys/admin.json`; it can't be outside. */
  file(name: string): string;
  /** Returns the parsed file; undefined if it doesn't exist. */
  readJson(name: string): unknown;
  /** Replaces the file atomically, mode 0600; it is on disk on return. */
  writeJson(name: string, value: unknown): void;
  /** Creates the file unless it exists. Of simultaneous processes one creates it, and all get its content. */
  createJson(name: string, make: () => unknown): { value: unknown; made: boolean };
  /** Reads the secrets again, after another process has rotated a key. */
  reload(): Secrets;
  /** Creates a new key for `seal`; old ones stay for decryption. */
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
 * Opens the data directory; creates it (0700; 0711 for root) and its secrets (0600) if they don't exist. Two processes that start
 * simultaneously get the same secrets.
 * @throws ConfigError if the directory can't be used, or a key in it is short or unreadable
 */
export function openDataDir(path: string): DataDir {
  makePrivate(path);
  const file = (name: string): string => {
    if (!/^[a-z0-9][\w-]*(\.[\w-]+)*(\/[a-z0-9][\w-]*(\.[\w-]+)*)?$/i.test(name))
      throw new Error(`${name} is not a valid name of a data file`);
    return join(path, name);
  };
  const readJson = (name: string): unknown => {
    const text = read(file(name));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new ConfigError([`${file(name)} is not JSON (${thrownMessage(error)}); restore it from a backup`]);
    }
  };
  const createJson = (name: string, make: () => unknown): { value: unknown; made: boolean } => {
    const present = readJson(name);
    if (present !== undefined) return { value: present, made: false };
    const value = make();
    // Creating a link is atomic and fails if the name exists.
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
 * Stops the boot if the secrets are new but the database has been used: the data directory was lost, and sealed data couldn't be decrypted.
 * `known` is the installation's id in the database, undefined in an unused one.
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

/** As root, the embedded database runs as another user, who needs access to the subfolder. */
export const dataDirMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

function makePrivate(path: string): void {
  try {
    // An existing directory keeps its permissions; each file in it is protected by its own mode.
    mkdirSync(path, { recursive: true, mode: dataDirMode() });
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory');
  } catch (error) {
    throw new ConfigError([
      `the data directory ${path} can't be used: ${thrownMessage(error)}. Set STORELOOM_DATA to another directory`,
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

/** Writes the value to a temporary file beside its target; it is on disk on return. The caller renames or links it. */
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
