import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localStore } from '@storeloom/core/internal';
import { afterAll } from 'vitest';
import { fileStoreTest } from './file-store-test.ts';

const dir = mkdtempSync(join(tmpdir(), 'storeloom-store-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

fileStoreTest('on the local disk', () => localStore(dir));
