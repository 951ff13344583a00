import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'storeloom-crew-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a crew in a process of its own: cluster works in a main thread only. Returns what the script printed. */
async function crew(worker: string, script: string): Promise<string> {
  const [exec, started] = [join(folder, 'worker.mjs'), join(folder, 'started')];
  writeFileSync(started, '');
  writeFileSync(
    exec,
    `import { appendFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(started)}, 'x');
     process.send({ storeloom: 'ready', port: 1, version: '1.0.0' });
     process.on('SIGTERM', () => process.exit(0));
     ${worker}`,
  );
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { readFileSync } from 'node:fs';
     import { setTimeout as sleep } from 'node:timers/promises';
     import { Crew } from ${JSON.stringify(join(import.meta.dirname, 'crew.ts'))};
     let state;
     const starts = () => readFileSync(${JSON.stringify(started)}, 'utf8').length;
     const crew = new Crew({ count: 2, dir: ${JSON.stringify(folder)}, command: () => ({ exec: ${JSON.stringify(exec)}, args: [] }),
       env: {}, say: () => undefined, onChange: (next) => { state = next; } });
     await crew.start();
     ${script}
     await crew.stop();`,
  );
  const child = spawn(process.execPath, ['--conditions=storeloom-source', '--no-warnings', join(folder, 'main.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(readFileSync(started, 'utf8')).not.toBe('');
  return printed;
}

test('processes that end as soon as they serve are started again with growing pauses', async () => {
  const printed = await crew('setTimeout(() => process.exit(1), 50);', 'await sleep(3000); console.log(starts());');
  expect(Number(printed)).toBeGreaterThan(2);
  expect(Number(printed)).toBeLessThan(12);
});

test('a process that ends during a reload is replaced once', async () => {
  const printed = await crew(
    'setInterval(() => undefined, 1000);',
    `const [, second] = state.workers;
     const reloaded = crew.reload();
     process.kill(second.pid, 'SIGKILL');
     await reloaded;
     await sleep(2500);
     console.log(state.workers.length, state.reload, new Set(state.workers.map(({ pid }) => pid)).has(second.pid));`,
  );
  expect(printed.trim()).toBe('2 done false');
});
