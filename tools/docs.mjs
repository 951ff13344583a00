// Updates code snippets in documents from files that are compiled and tested. A fenced block below
//   <!-- file: examples/plugin-x/src/loan.ts#machine -->
// contains the text between `#region machine` and `#endregion` of that file; without `#…` the whole file. The table below
//   <!-- stages: placeCheck placeCommit -->
// lists the taps of these hooks, from `h.on(…)` in the plugins' index.ts.
// packages/cli/templates/plugin.json has the files of examples/plugin-hello, from which `storeloom plugin new` creates a package.
// `npm run docs` writes them; `node tools/docs.mjs --check` lists stale ones (exit code 1).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { filesUnder, root } from './workspace.mjs';

const check = process.argv.includes('--check');
const faults = [];
const languages = { '.ts': 'ts', '.sql': 'sql', '.json': 'json', '.mjs': 'js' };

/** The lines of a file or region, without region markers and common indentation. */
function snippet(reference) {
  const [path, region] = reference.split('#');
  if (!existsSync(join(root, path))) return undefined;
  let lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n');
  if (region !== undefined) {
    const start = lines.findIndex((line) => new RegExp(`#region ${region}$`).test(line.trim()));
    if (start < 0) return undefined;
    const length = lines.slice(start).findIndex((line) => /#endregion$/.test(line.trim()));
    lines = lines.slice(start + 1, start + length);
  }
  lines = lines.filter((line) => !/^\s*(\/\/|--) #(end)?region\b/.test(line));
  const indent = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}

/** Taps by the name of the hook's token: plugin and stage, in the order of execution. */
function tapsOfPlugins() {
  const taps = new Map();
  for (const file of filesUnder('plugins').filter((path) => /^plugins\/[\w-]+\/src\/index\.ts$/.test(path)))
    for (const [, hook, stage] of readFileSync(join(root, file), 'utf8').matchAll(
      /\bh\.on\((\w+), [^;]*?(?:\{ stage: (\d+) \})?\);/g,
    )) {
      const plugin = file.split('/')[1];
      taps.set(hook, [...(taps.get(hook) ?? []), { plugin, stage: Number(stage ?? 50) }]);
    }
  for (const list of taps.values()) list.sort((a, b) => a.stage - b.stage || a.plugin.localeCompare(b.plugin));
  return taps;
}

function stages(file, hooks) {
  const taps = tapsOfPlugins();
  const rows = hooks.split(' ').map((hook) => {
    const list = taps.get(hook);
    if (!list) faults.push(`${file}: no plugin taps ${hook}`);
    return `| \`${hook}\` | ${(list ?? []).map(({ plugin, stage }) => `${plugin} ${stage}`).join(', ')} |`;
  });
  return ['| hook | plugin and stage |', '| --- | --- |', ...rows].join('\n');
}

for (const file of filesUnder('docs').filter((path) => path.endsWith('.md'))) {
  const before = readFileSync(join(root, file), 'utf8');
  const marked = (before.match(/^<!-- file: /gm) ?? []).length;
  let found = 0;
  const tables = before.replace(
    /^<!-- stages: ([\w ]+) -->\n(?:\n|\|.*\n)*/gm,
    (_, hooks) => `<!-- stages: ${hooks} -->\n\n${stages(file, hooks)}\n\n`,
  );
  const after = tables.replace(/^<!-- file: (\S+) -->\n```\w*\n.*?^```$/gms, (block, reference) => {
    found += 1;
    const text = snippet(reference);
    if (text === undefined) {
      faults.push(`${file}: there is no ${reference}`);
      return block;
    }
    return `<!-- file: ${reference} -->\n\`\`\`${languages[extname(reference.split('#')[0])] ?? ''}\n${text}\n\`\`\``;
  });
  if (found !== marked) faults.push(`${file}: ${marked - found} references have no fenced block below them`);
  if (after === before) continue;
  if (check) faults.push(`${file} has stale snippets: run \`npm run docs\` and commit`);
  else writeFileSync(join(root, file), after);
}

const template = 'packages/cli/templates/plugin.json';
const example = 'examples/plugin-hello';
// The README there is about the example, and each plugin begins its own changelog.
const files = filesUnder(example).filter((path) => !/\/(?:README|CHANGELOG)\.md$/.test(path));
const packed = `${JSON.stringify(
  Object.fromEntries(files.map((path) => [path.slice(example.length + 1), readFileSync(join(root, path), 'utf8')])),
  null,
  2,
)}\n`;
if (!existsSync(join(root, template)) || readFileSync(join(root, template), 'utf8') !== packed) {
  if (check) faults.push(`${template} is stale: run \`npm run docs\` and commit`);
  else writeFileSync(join(root, template), packed);
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
