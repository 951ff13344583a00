/**
 * Returns the path of a package's main module, by Node's rules for `exports`; undefined if the package exports nothing under these
 * conditions. Node itself resolves only relative to the importing module, not to the installation.
 */
export function mainTarget(manifest: { exports?: unknown; main?: unknown }, conditions: ReadonlySet<string>): string | undefined {
  if (manifest.exports === undefined || manifest.exports === null)
    return typeof manifest.main === 'string' && manifest.main !== '' ? relative(manifest.main) : './index.js';
  const { exports } = manifest;
  // Shorthand: `exports` without subpaths is the main export.
  const main = isMap(exports) && Object.keys(exports).some((key) => key.startsWith('.')) ? exports['.'] : exports;
  const target = pick(main, conditions);
  return target !== undefined && inside(target) ? target : undefined;
}

function pick(target: unknown, conditions: ReadonlySet<string>): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) {
    for (const option of target) {
      const found = pick(option, conditions);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isMap(target)) return undefined;
  for (const [condition, option] of Object.entries(target)) {
    if (condition !== 'default' && !conditions.has(condition)) continue;
    const found = pick(option, conditions);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true for a path inside the package. */
const inside = (target: string): boolean =>
  target.startsWith('./') &&
  !target
    .split(/[\\/]/)
    .slice(1)
    .some((part) => part === '..' || part === '.' || part === 'node_modules');

const relative = (main: string): string => (main.startsWith('./') ? main : `./${main}`);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const sourceCondition = 'storeloom-source';

/**
 * Returns the export conditions of this process. `storeloom-source` is set if Node was started with `--conditions=storeloom-source`, or if
 * the kernel runs from its TypeScript sources (in tests): plugins are then loaded from their sources too.
 */
export function processConditions(
  execArgv: readonly string[] = process.execArgv,
  self: string = import.meta.url,
): ReadonlySet<string> {
  const conditions = new Set(['node', 'import', 'module-sync']);
  execArgv.forEach((argument, i) => {
    const [, inline] = /^(?:--conditions|-C)=(.+)$/.exec(argument) ?? [];
    const named = inline ?? (argument === '--conditions' || argument === '-C' ? execArgv[i + 1] : undefined);
    if (named !== undefined) conditions.add(named);
  });
  if (self.endsWith('.ts')) conditions.add(sourceCondition);
  return conditions;
}

/** Adds the condition for sources. */
export const withSource = (conditions: ReadonlySet<string>): ReadonlySet<string> => new Set([...conditions, sourceCondition]);
