// Packs every package that would be published and checks the tarballs as a user gets them: publint, types that resolve, declaration
// maps that lead to sources, a manifest with real version ranges, and no file that belongs to this workspace only. Needs a build.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack } from './pack.mjs';
import { packages, root } from './workspace.mjs';

const published = packages().filter(({ manifest }) => !manifest.private);
const folder = mkdtempSync(join(tmpdir(), 'storeloom-pack-'));

function output(command, args) {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error) throw error;
  return { ok: status === 0, text: stdout, all: `${stdout}${stderr}`.trim() };
}

/** Matches the source of a declaration map: `package/dist/a/b.d.ts.map` → `package/src/a/b.ts`. */
const sourcePattern = (map) =>
  new RegExp(`^${RegExp.escape(map.replace('package/dist/', 'package/src/').replace(/\.d\.ts\.map$/, ''))}\\.tsx?$`);

async function problemsOf(pkg) {
  const file = join(folder, `${pkg.name.replace('@', '').replace('/', '-')}-${pkg.manifest.version}.tgz`);
  const bytes = readFileSync(file);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg: manifest } = await publint({ pack: { tarball }, strict: true });
  const problems = messages.map((message) => formatMessage(message, manifest));
  const text = JSON.stringify(manifest);
  for (const word of ['"workspace:', '"catalog:', 'storeloom-source']) {
    if (text.includes(word)) problems.push(`the packed package.json contains ${word.replace('"', '')}`);
  }
  const files = output('tar', ['-tzf', file]).text.split('\n');
  const strays = files.filter((path) => /\.tsbuildinfo$|\.test\.|^package\/test\/|\/(testdata|fixtures)\//.test(path));
  if (strays.length > 0) problems.push(`the tarball contains ${strays.join(', ')}`);
  const mapped = files.filter((path) => path.endsWith('.d.ts.map'));
  const withoutSource = mapped.filter((path) => !files.some((source) => sourcePattern(path).test(source)));
  if (withoutSource.length > 0) problems.push(`the tarball has no source for ${withoutSource.join(', ')}`);
  if (mapped.length === 0 && files.some((path) => path.endsWith('.d.ts'))) problems.push('the tarball has no declaration maps');
  // Takes two seconds per package, and all plugins have the same two entries.
  if (problems.length === 0 && pkg.dir.startsWith('packages/')) {
    const types = output(join(root, 'node_modules/.bin/attw'), [
      file,
      '--profile',
      'esm-only',
      '--format',
      'ascii',
      '--no-emoji',
    ]);
    if (!types.ok) problems.push(types.all);
  }
  return problems;
}

try {
  pack(published, folder);
  for (const pkg of published) {
    for (const problem of await problemsOf(pkg)) {
      console.error(`${pkg.name}: ${problem}`);
      process.exitCode = 1;
    }
  }
  console.log(`${readdirSync(folder).length} tarballs`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
