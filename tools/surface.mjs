// The frozen surfaces: OpenAPI document, public events and licence claims in surface/, and the slices of the client, which are generated
// from the document. Fails if one is stale, and says which changes are breaking. `--write` (npm run surface) updates them; a breaking
// change only if the package that owns it isn't published yet or a changeset announces a major version. Needs a build.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bare, compareNames, compareSurfaces, mayBreak, operationSurface, referredIn } from './surface-compare.mjs';
import { packages, root } from './workspace.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' } } });
const { describeInstallation, readInstallation } = await import('../packages/core/dist/index.js');
const { clientErrors, clientMethods, clientSlice } = await import('../packages/openapi/dist/index.js');
const { licenceClaims } = await import('../packages/licence/dist/index.js');

const example = {
  name: 'tool-library',
  package: '@storeloom/plugin-tool-library',
  file: 'examples/plugin-tool-library/src/client.ts',
};
const installation = await readInstallation(root);
const {
  document: whole,
  documentOf,
  plugins,
} = await describeInstallation({ dir: root, plugins: [...installation.plugins, example.package] });
const methods = clientMethods(whole);
const own = [
  'core',
  ...packages()
    .filter(({ dir, isPlugin }) => isPlugin && dir.startsWith('plugins/'))
    .map(({ manifest }) => manifest.storeloom.plugin),
];

/** Path → current content of every file. */
const files = new Map();
/** Compared files: path → the package that owns the surface and the function that finds the changes. */
const compared = new Map();

for (const plugin of own) {
  const document = documentOf(plugin);
  const mine = clientMethods(document);
  const operations = Object.fromEntries(
    mine.map(({ method, path, operation }) => [`${method} ${path}`, operationSurface(operation, document)]).sort(byKey),
  );
  const events = Object.fromEntries(
    Object.entries(document.webhooks)
      .filter(([, { post }]) => post['x-plugin'] === plugin)
      .map(([type, { post }]) => [type, bare(post.requestBody.content['application/json'].schema.properties.data.allOf[0])])
      .sort(byKey),
  );
  if (mine.length === 0 && Object.keys(events).length === 0) continue;
  const schemas = Object.fromEntries(Object.entries(referredIn({ operations, events }, document.components.schemas)).sort(byKey));
  const path = `surface/openapi/${plugin}.json`;
  files.set(path, lines({ operations, events, schemas }));
  compared.set(path, {
    owner: plugin === 'core' ? '@storeloom/core' : `@storeloom/plugin-${plugin}`,
    compare: (before, after) => compareSurfaces(JSON.parse(before), JSON.parse(after)),
  });
}

const claims = bare(licenceClaims.toJSONSchema({ io: 'input', unrepresentable: 'any' }));
files.set('surface/licence.json', lines({ claims: { licence: claims } }));
compared.set('surface/licence.json', {
  owner: '@storeloom/licence',
  compare: (before, after) => compareSurfaces(JSON.parse(before), JSON.parse(after)),
});

const slices = own.flatMap((plugin) => {
  const text = clientSlice(documentOf(plugin), { plugin, from: '../index.ts' });
  if (text === undefined) return [];
  files.set(`packages/client/src/slices/${plugin}.ts`, text);
  const [name, visitors] = [...text.matchAll(/^export const (\w+): Slice</gm)].map(([, one]) => one);
  const types = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, one]) => `type ${plugin} ${one}`);
  return [{ plugin, name, visitors, types }];
});
const header = '// Generated from the OpenAPI document. Do not edit.\n';
files.set(
  'packages/client/src/slices/index.ts',
  `${header}${slices.map(({ plugin, name }) => `export { ${name} } from './${plugin}.ts';`).join('\n')}\n`,
);
files.set(
  'packages/client/src/slices/storefront.ts',
  `${header}${slices
    .filter(({ visitors }) => visitors)
    .map(({ plugin, name, visitors }) => `export { ${visitors} as ${name} } from './${plugin}.ts';`)
    .join('\n')}\n`,
);
files.set('packages/client/src/errors.ts', clientErrors(whole, './problem-error.ts'));
const { problems } = plugins.find(({ name }) => name === example.name);
files.set(example.file, clientSlice(documentOf(example.name), { plugin: example.name, problems }));

const names = methods
  .filter(({ plugin }) => own.includes(plugin))
  .map(({ family, name, method, path }) => `${family}.${name} ${method} ${path}`);
files.set('surface/client.txt', `${[...names, ...slices.flatMap(({ types }) => types)].sort().join('\n')}\n`);
compared.set('surface/client.txt', {
  owner: '@storeloom/client',
  compare: (before, after) => compareNames(before.trim().split('\n'), after.trim().split('\n')),
});

const stale = [...files].filter(
  ([path, text]) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined) !== text,
);
const kept = ['packages/client/src/slices', 'surface/openapi'];
const gone = kept
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((path) => !files.has(path) && !path.endsWith('.test.ts'));
const release = {
  tags: output('git', ['tag', '--list', '@storeloom/*']).split('\n'),
  changesets: readdirSync(join(root, '.changeset'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(root, '.changeset', file), 'utf8')),
};
let isRefused = false;
for (const [path, { owner, compare }] of compared) {
  if (!stale.some(([name]) => name === path) || !existsSync(join(root, path))) continue;
  const changes = compare(readFileSync(join(root, path), 'utf8'), files.get(path));
  const breaking = changes.filter(({ kind }) => kind === 'breaking');
  for (const { kind, where, what } of changes) console.error(`${owner} ${kind}: ${where}: ${what}`);
  if (breaking.length === 0 || mayBreak(owner, release)) continue;
  isRefused = true;
  console.error(
    `${owner} is published, and ${breaking.length} changes break its clients. Keep the old form beside the new one, or add a changeset with a major version of ${owner}.`,
  );
}
// A plugin that was removed takes its operations with it.
for (const path of gone.filter((one) => one.startsWith('surface/'))) {
  const owner = `@storeloom/plugin-${path.slice('surface/openapi/'.length, -'.json'.length)}`;
  if (mayBreak(owner, release)) continue;
  isRefused = true;
  console.error(`${owner} is published, and its operations are gone.`);
}

if (values.write && !isRefused) {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.error(`written: ${path}`);
  }
  for (const path of gone) rmSync(join(root, path));
} else if (stale.length > 0 || gone.length > 0) {
  console.error(
    `stale: ${[...stale.map(([path]) => path), ...gone].join(', ')}\nRun \`npm run surface\`, read the difference, and commit it.`,
  );
  process.exitCode = 1;
}
if (isRefused) process.exitCode = 1;

function output(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** JSON with one line per entry of the second level, so that a difference shows the operation or schema that changed. */
function lines(value) {
  const sections = Object.entries(value).map(([section, entries]) => {
    const inner = Object.entries(entries).map(([name, entry]) => `    ${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
    return `  ${JSON.stringify(section)}: {${inner.length > 0 ? `\n${inner.join(',\n')}\n  ` : ''}}`;
  });
  return `{\n${sections.join(',\n')}\n}\n`;
}

function byKey([a], [b]) {
  return a < b ? -1 : 1;
}
