// The steps of `npm test`. Runs all steps even after a failure and lists the failed ones at the end. Options: --only a,b (names below),
// --except a,b; arguments after `--` go to vitest (a file, -t "a name").
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const separator = process.argv.indexOf('--');
const options = process.argv.slice(2, separator < 0 ? undefined : separator);
const vitestOptions = separator < 0 ? [] : process.argv.slice(separator + 1);

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = (...args) => [process.execPath, args];
const vitest = (...args) => [bin('vitest'), ['run', ...args, ...vitestOptions]];
const postgres15 = existsSync('/usr/lib/postgresql/15/bin/postgres');

// No colours in log files.
const environment = { ...process.env, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) };

const nightly = process.env.STORELOOM_NIGHTLY === '1';
const steps = [
  { name: 'refs', what: 'generated project files are up to date', run: node('tools/refs.mjs', '--check') },
  { name: 'types', what: 'packages build, everything type-checks', run: node('tools/build.mjs') },
  {
    name: 'lint',
    what: 'biome: lint and format; casts have a reason',
    run: [
      bin('biome'),
      ['ci', '--error-on-warnings', '--diagnostic-level=warn', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.'],
    ],
    after: node('tools/casts.mjs'),
  },
  { name: 'architecture', what: 'import rules, no cycles', run: node('tools/architecture.mjs') },
  {
    name: 'dependencies',
    what: 'declared dependencies are imported, imports are declared, no unused files or exports',
    run: node('tools/dependencies.mjs'),
  },
  { name: 'language', what: 'comments, messages, documents and names use standard terms', run: node('tools/language.mjs') },
  { name: 'docs', what: 'snippets in documents are up to date', run: node('tools/docs.mjs', '--check') },
  { name: 'api', what: 'API reports are up to date', run: node('tools/api-report.mjs') },
  {
    name: 'surface',
    what: 'client, OpenAPI document, events and licence are up to date, no breaking change',
    run: node('tools/surface.mjs'),
  },
  { name: 'manifest', what: 'release manifest is up to date', run: node('tools/release.mjs') },
  { name: 'packages', what: 'packed tarballs are valid', run: node('tools/pack-check.mjs') },
  { name: 'unit', what: 'tests without a database', run: vitest('--project', 'unit') },
  { name: 'db', what: 'tests on the embedded PostgreSQL 18', run: vitest('--project', 'db') },
  {
    name: 'db15',
    what: 'the same on PostgreSQL 15, the oldest supported',
    run: vitest('--project', 'db'),
    env: { STORELOOM_TEST_PG: '15' },
    without: postgres15 ? undefined : 'no /usr/lib/postgresql/15/bin on this machine',
  },
  {
    name: 'ranges',
    what: 'each plugin compiles against the lowest versions of its peers',
    run: node('tools/ranges.mjs'),
    without: nightly ? undefined : 'takes a minute; runs at night (STORELOOM_NIGHTLY=1)',
  },
  {
    name: 'author',
    what: "an example's README, executed outside the repository",
    run: node('test/author.mjs'),
    without: nightly ? undefined : 'takes some minutes; runs at night (STORELOOM_NIGHTLY=1)',
  },
];

function listed(option) {
  const index = options.indexOf(option);
  if (index < 0) return undefined;
  const names = (options[index + 1] ?? '').split(',');
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`unknown step ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names;
}

function run([command, args], env) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, env: { ...environment, ...env }, stdio: 'inherit' });
  if (error) throw error;
  if (signal) process.exit(1);
  return status === 0;
}

const only = listed('--only');
const except = listed('--except') ?? [];
const results = [];
for (const step of steps) {
  if ((only && !only.includes(step.name)) || except.includes(step.name)) continue;
  if (step.without) {
    results.push(`  –  ${step.name.padEnd(13)} skipped: ${step.without}`);
    continue;
  }
  console.log(`\n── ${step.name}: ${step.what}`);
  const started = performance.now();
  const passed = run(step.run, step.env) && (step.after === undefined || run(step.after, step.env));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (!passed) process.exitCode = 1;
  results.push(`  ${passed ? '✓' : '✗'}  ${step.name.padEnd(13)} ${seconds.padStart(6)} s${passed ? '' : '  failed'}`);
}
console.log(`\n${results.join('\n')}\n`);
