import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation, type SmallInstallation } from './support/installation.ts';
import { type Dev, startDev } from './support/processes.ts';

/** A TypeScript module that serves `GET /api/storefront/notes/`. */
const notes = (word: string, more = ''): string => `
import { definePlugin, f, migrations, resource, route } from '@storeloom/plugin-sdk';
const note = resource('note', { path: 'notes', verbs: ['list'], fields: { text: f.text()${more} } });
export default definePlugin({
  name: 'notes',
  migrations: migrations(import.meta.url, ['0001_start.sql']),
  admin: [note],
  storefront: [route('GET', '/notes/', { summary: 'A word', response: { word: f.text() } }, async () => ({ word: ${word} }))],
  locales: { ro: {}, en: {} },
});
`;

let database: TestDatabase;
let home: SmallInstallation;
let dev: Dev;
const file = (path: string): string => join(home.dir, 'plugins/notes', path);
/** As editors save: a new file takes the place of the old one. */
function save(path: string, text: string): void {
  mkdirSync(join(file(path), '..'), { recursive: true });
  writeFileSync(`${file(path)}~`, text);
  renameSync(`${file(path)}~`, file(path));
}

beforeAll(async () => {
  database = await createDatabase();
  home = installation({
    notes: {
      module: '',
      migration: `create table notes_note (tenant_id uuid not null references core_tenant (id), id uuid not null, text text not null,
        created_at timestamptz not null, updated_at timestamptz not null, version integer not null default 1, primary key (tenant_id, id));
        select core_tenant_table('notes_note');`,
    },
  });
  writeFileSync(
    file('package.json'),
    JSON.stringify({
      name: '@storeloom/plugin-notes',
      version: '1.0.0',
      type: 'module',
      exports: { '.': './src/index.ts' },
      storeloom: { plugin: 'notes' },
      peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0' },
    }),
  );
  writeFileSync(
    file('tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.iterator', 'esnext.collection'],
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
      },
      include: ['src'],
    }),
  );
  save('src/index.ts', notes("'one'"));
  dev = await startDev({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url });
});
afterAll(async () => {
  await dev?.stop();
  await database?.drop();
  home?.remove();
});

/** `fetch` doesn't send another Host. */
const word = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(`${dev.ready.api}/api/storefront/notes/`, { headers: { host: 'small.localhost' } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(response.statusCode === 200 ? (JSON.parse(text) as { word: string }).word : text));
    });
    sent.on('error', reject).end();
  });
/** Between two versions, the port is closed for a moment. */
const served = (expected: string) => expect.poll(() => word().catch(() => undefined)).toBe(expected);
const shown = (expected: RegExp) => expect.poll(() => dev.log()).toMatch(expected);

it('serves changed sources, again and again, also those of new folders', async () => {
  expect(await word()).toBe('one');
  for (const next of ['two', 'three']) {
    const started = performance.now();
    save('src/index.ts', notes(`'${next}'`));
    await served(next);
    console.info(`a change was served after ${Math.round(performance.now() - started)} ms`);
  }
  save('src/words/four.ts', "export const four = 'four';\n");
  save('src/index.ts', `import { four } from './words/four.ts';${notes('four')}`);
  await served('four');
  save('src/words/four.ts', "export const four = 'more';\n");
  await served('more');
});

it('keeps the last good version while there is a type error, a broken module, a contract fault or a missing migration', async () => {
  for (const [text, message] of [
    [notes('4'), /plugins\/notes\/src\/index\.ts:\d+:\d+ {2}TS2322: [\s\S]*Type 'number' is not assignable to type 'string'/],
    [notes("'x'").replace('});', '}'), /plugins\/notes\/src\/index\.ts:\d+/],
    [notes("'x'").replace("name: 'notes'", "name: 'other'"), /other/],
    [
      notes("'x'", ', mood: f.text().optional()'),
      /add column mood text[\s\S]*fix .*put these statements into a new file in migrations/,
    ],
  ] as const) {
    const before = dev.log().length;
    save('src/index.ts', text);
    await expect.poll(() => dev.log().slice(before)).toMatch(message);
    await expect.poll(() => dev.log().slice(before)).toContain('The last good version keeps serving.');
    expect(await word()).toBe('more');
  }
  save('migrations/0002_mood.sql', 'alter table notes_note add column mood text;\n');
  save(
    'src/index.ts',
    notes("'mended'", ', mood: f.text().optional()').replace("['0001_start.sql']", "['0001_start.sql', '0002_mood.sql']"),
  );
  await served('mended');
  await shown(/applied notes 0002_mood\.sql/);
});
