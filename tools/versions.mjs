// Turns changesets into versions and changelogs: `npm run versions`. A version that has no git tag `<package>@<version>` yet is
// not published, so what concerns it goes into its own section of the changelog; that makes 1.0.0 the first release of every package.
// Packages that are published get a new version from `changeset version`. Option: --directory <folder>, another workspace.
import './needs-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import semver from 'semver';
import { root } from './workspace.mjs';

const { values } = parseArgs({ options: { directory: { type: 'string' } } });
const cwd = values.directory === undefined ? root : resolve(values.directory);
const read = (path) => readFileSync(join(cwd, path), 'utf8');

function output(command, args) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr || stdout}`);
  return stdout;
}

const tags = new Set(output('git', ['tag', '--list']).split('\n'));

/** Packages that are published or will be, by name: their manifests and folders. */
const all = new Map(
  output('git', ['ls-files', '*/package.json'])
    .split('\n')
    .filter((path) => /^(packages|plugins|examples)\/[^/]+\/package\.json$/.test(path))
    .map((path) => ({ dir: path.slice(0, -'/package.json'.length), ...JSON.parse(read(path)) }))
    .filter((pkg) => !pkg.private)
    .map((pkg) => [pkg.name, pkg]),
);
/** Those whose present version is not published. */
const unpublished = new Map([...all].filter(([name, { version }]) => !tags.has(`${name}@${version}`)));

function writeChangeset(file, releases, text) {
  writeFileSync(join(cwd, file), `---\n${releases.map(({ name, bump }) => `"${name}": ${bump}\n`).join('')}---\n\n${text}\n`);
}

/** A changeset: which packages it concerns and how much, and its text. */
function parse(file) {
  const [, head, text] = /^---\n(.*?)\n?---\n(.*)$/s.exec(read(file)) ?? [];
  if (head === undefined) throw new Error(`${file} is no changeset: it has no front matter`);
  const releases = head
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, name, bump] = /^['"]?([^'"]+)['"]?: *(major|minor|patch)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`${file}: "${line}" names no package with major, minor or patch`);
      return { name, bump };
    });
  return { releases, text: text.trim() };
}

/** Adds one entry to the section of an unpublished version; the changelog and the section are begun where they are missing. */
function addEntry({ dir, name, version }, text) {
  const path = `${dir}/CHANGELOG.md`;
  const title = `# ${name}\n`;
  const before = existsSync(join(cwd, path)) ? read(path) : title;
  const heading = `## ${version}\n`;
  const withSection = before.includes(`\n${heading}`) ? before : before.replace(title, `${title}\n${heading}`);
  const start = withSection.indexOf(`\n${heading}`) + heading.length + 1;
  const next = withSection.indexOf('\n## ', start);
  const end = next < 0 ? withSection.length : next;
  const section = withSection.slice(start, end).trim();
  const entry = `- ${text.replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}`;
  const entries = section === '' ? entry : `${section}\n${entry}`;
  const rest = withSection.slice(end).trimStart();
  writeFileSync(join(cwd, path), `${withSection.slice(0, start)}\n${entries}\n${rest === '' ? '' : `\n${rest}`}`);
}

const changesets = readdirSync(join(cwd, '.changeset'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort()
  .map((name) => `.changeset/${name}`);
let left = 0;
/** Published packages that get a major version. */
const major = new Set();
for (const file of changesets) {
  const { releases, text } = parse(file);
  for (const { name } of releases) if (unpublished.has(name)) addEntry(unpublished.get(name), text);
  const published = releases.filter(({ name }) => !unpublished.has(name));
  if (published.length === 0 && releases.length > 0) {
    rmSync(join(cwd, file));
    continue;
  }
  left += 1;
  for (const { name, bump } of published) if (bump === 'major') major.add(name);
  if (published.length < releases.length) writeChangeset(file, published, text);
}
for (const group of JSON.parse(read('.changeset/config.json')).fixed)
  if (group.some((name) => major.has(name))) for (const name of group) major.add(name);

// changesets raises a peer's range that its new version leaves, as a patch of the dependent. An update of the dependent then
// needs an update of the peer as well, so it is a major version.
for (const name of major) {
  const next = semver.inc(all.get(name).version, 'major');
  for (const dependent of all.values()) {
    const range = dependent.peerDependencies?.[name];
    if (range === undefined || major.has(dependent.name) || unpublished.has(dependent.name) || semver.satisfies(next, range))
      continue;
    // A set that grows while it is read is read to its end.
    major.add(dependent.name);
    writeChangeset(
      `.changeset/peer-${dependent.name.replace(/^@.*\//, '')}.md`,
      [{ name: dependent.name, bump: 'major' }],
      `Needs ${name} ${next}.`,
    );
  }
}
if (left > 0) output(join(root, 'node_modules/.bin/changeset'), ['version']);
console.log(`${changesets.length - left} changesets joined unpublished versions, ${left} made new versions`);
