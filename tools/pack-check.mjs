// Packs every package that would be published and looks at the tarballs as a user gets them: publint, types that resolve, a
// manifest with real version ranges, and nothing inside that belongs to this workspace only. Needs a build.
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

async function problemsOf(pkg) {
  const file = join(folder, `${pkg.name.replace('@', '').replace('/', '-')}-${pkg.manifest.version}.tgz`);
  const bytes = readFileSync(file);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg: manifest } = await publint({ pack: { tarball }, strict: true });
  const problems = messages.map((message) => formatMessage(message, manifest));
  const text = JSON.stringify(manifest);
  for (const word of ['"workspace:', '"catalog:', 'storeloom-source']) {
    if (text.includes(word)) problems.push(`the packed package.json holds ${word.replace('"', '')}`);
  }
  const strays = output('tar', ['-tzf', file])
    .text.split('\n')
    .filter((path) => /\.tsbuildinfo$|\.test\.|(^|\/)(test|testdata|src)\//.test(path));
  if (strays.length > 0) problems.push(`the tarball holds ${strays.join(', ')}`);
  // Costs two seconds each, and plugins have the same two entries all over.
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
