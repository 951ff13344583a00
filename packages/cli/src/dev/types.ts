import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A type error of a package. */
export interface TypeFault {
  /** Relative to the folder of the package: `src/greeting.ts`; undefined for a fault of the configuration. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** `TS2322`. */
  readonly code: string;
  readonly message: string;
}

/** The compiler of a package's own `devDependencies`; undefined if it has none, or no tsconfig.json. */
function compilerOf(dir: string): string | undefined {
  if (!existsSync(join(dir, 'tsconfig.json'))) return undefined;
  let manifest: string;
  try {
    manifest = createRequire(join(dir, 'package.json')).resolve('typescript/package.json');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: Record<string, string> };
  return bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
}

/**
 * Type-checks a package with its own compiler and tsconfig.json; writes nothing but the compiler's record of unchanged files.
 * @returns undefined for a package without TypeScript
 * @throws Error if the compiler fails without naming an error
 */
export async function checkTypes(dir: string, signal?: AbortSignal): Promise<TypeFault[] | undefined> {
  const compiler = compilerOf(dir);
  if (compiler === undefined) return undefined;
  const cache = join(dir, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const args = [
    '--noEmit',
    '--pretty',
    'false',
    '--incremental',
    '--tsBuildInfoFile',
    join(cache, 'storeloom-types.tsbuildinfo'),
  ];
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve, reject) =>
    execFile(
      process.execPath,
      [compiler, '-p', dir, ...args],
      { cwd: dir, maxBuffer: 2 ** 26, ...(signal ? { signal } : {}) },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
      },
    ),
  );
  const faults = readFaults(output);
  if (code !== 0 && faults.length === 0) throw new Error(`The compiler of ${dir} ended with ${code}:\n${output.trim()}`);
  return faults;
}

/** Reads the compiler's output. Lines that continue a message are indented. */
function readFaults(output: string): TypeFault[] {
  const faults: {
    file: string | undefined;
    line: number | undefined;
    column: number | undefined;
    code: string;
    message: string;
  }[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file, row, column, code, message] = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/.exec(line) ?? [];
    if (code !== undefined && message !== undefined)
      faults.push({
        file,
        line: row === undefined ? undefined : Number(row),
        column: column === undefined ? undefined : Number(column),
        code,
        message,
      });
    else if (/^\s+\S/.test(line) && faults.length > 0) (faults.at(-1) as { message: string }).message += `\n${line}`;
  }
  return faults;
}
