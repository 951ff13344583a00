import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { releaseManifest } from '../../test/release-manifest.ts';
import { UsageError } from '../usage-error.ts';
import { findManifest } from './target.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'storeloom-target-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('the target is a version, and the manifest that of the version', async () => {
  const manifest = join(dir, 'release.json');
  writeFileSync(manifest, JSON.stringify(releaseManifest('1.6.0')));
  expect((await findManifest({ dir, to: '1.6.0', manifest })).version).toBe('1.6.0');
  await expect(findManifest({ dir, to: '1.5.0', manifest })).rejects.toThrow('describes 1.6.0, and --to names 1.5.0');
  for (const to of ['latest', '../x', '1.5', 'v1.5.0', '^1.5.0'])
    await expect(findManifest({ dir, to }), to).rejects.toThrow(UsageError);
});
