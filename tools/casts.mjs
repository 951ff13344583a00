// Finds casts that switch the type checker off (`as unknown as T`, `as never`) in sources. Each needs its reason in a comment on the same
// line or the line before: `// cast: node-postgres' types leave the property out.` Tests are exempt. Option: --directory <dir>.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const option = process.argv.indexOf('--directory');
const folder = option < 0 ? root : process.argv[option + 1];
const sources = ['packages/*/src/**', 'plugins/*/src/**', 'examples/*/src/**'];

const cast = /\bas\s+(unknown\s+as|never)\b/;
const reason = /\/\/ cast: \S/;
const comment = /^\s*(\/\/|\/?\*)/;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...sources], {
  cwd: folder,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .split('\0')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

let count = 0;
for (const file of new Set(files)) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const code = comment.test(line) ? '' : line.split(/\s\/\/ /)[0];
    if (!cast.test(code)) continue;
    count++;
    if (reason.test(line) || reason.test(lines[index - 1] ?? '')) continue;
    console.error(`${file}:${index + 1}: a cast without a reason. Repair the type, or give the reason before it: // cast: …`);
    process.exitCode = 1;
  }
}
console.log(`${count} casts`);
