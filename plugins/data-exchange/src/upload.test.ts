import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { receiveUpload } from './upload.ts';

async function received(form: FormData) {
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? '';
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  return receiveUpload(body, { 'content-type': type });
}
const formOf = (...files: string[]): FormData => {
  const form = new FormData();
  for (const [i, file] of files.entries()) form.append('file', new Blob([file], { type: 'text/csv' }), `${i}.csv`);
  return form;
};

test('a form has one file: none and several are refused, and so are options in it', async () => {
  const upload = await received(formOf('Handle,Title\n'));
  expect([upload.kind, await text(upload.open())]).toEqual(['csv', 'Handle,Title\n']);
  await upload.remove();
  const extra = formOf('Handle\n');
  extra.append('dryRun', 'true');
  for (const [form, code, pointer] of [
    [formOf(), 'validation_failed', '/file'],
    [formOf('Handle\na\n', 'Handle\nb\n'), 'validation_failed', '/file'],
    [extra, 'unknown_field', '/dryRun'],
  ] as const)
    await expect(received(form)).rejects.toMatchObject({ code, extra: { errors: [{ pointer }] } });
});
