import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { problem } from '@storeloom/plugin-sdk';
import busboy from 'busboy';

export const maxFileBytes = 50 * 1024 * 1024;

export interface Upload {
  kind: 'csv' | 'json';
  open(): Readable;
  remove(): Promise<void>;
}

/** Keeps the body, or the one file of a form, in a temporary file: it is read twice, and never whole in memory. */
export async function receiveUpload(stream: Readable, headers: IncomingHttpHeaders): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'storeloom-import-'));
  const path = join(folder, 'file');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    const kind = type === 'multipart/form-data' ? await fromForm(stream, headers, path) : await fromBody(stream, type, path);
    return { kind, open: () => createReadStream(path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fromBody(stream: Readable, type: string | undefined, path: string): Promise<Upload['kind']> {
  await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
  return type === 'application/json' ? 'json' : 'csv';
}

function fromForm(stream: Readable, headers: IncomingHttpHeaders, path: string): Promise<Upload['kind']> {
  return new Promise((resolve, reject) => {
    let form: ReturnType<typeof busboy>;
    try {
      form = busboy({ headers, limits: { files: 1, fileSize: maxFileBytes, fields: 20, parts: 30 } });
    } catch {
      reject(problem('malformed_request', { detail: 'The form has no boundary.' }));
      return;
    }
    let saved: Promise<Upload['kind']> | undefined;
    form.on('file', (_, file, info) => {
      saved = pipeline(file, createWriteStream(path, { mode: 0o600 })).then(() => {
        if ((file as { truncated?: boolean }).truncated)
          throw problem('payload_too_large', { detail: `The file is larger than ${maxFileBytes} bytes.` });
        return info.mimeType === 'application/json' || info.filename?.endsWith('.json') ? 'json' : 'csv';
      });
      saved.catch(reject);
    });
    const unknown: string[] = [];
    form.on('field', (name) => unknown.push(name));
    let isSeveral = false;
    form.on('filesLimit', () => {
      isSeveral = true;
    });
    form.on('close', () => {
      const refused = refusalOf(unknown, saved === undefined ? 0 : isSeveral ? 2 : 1);
      if (!refused) saved?.then(resolve, reject);
      // The file may still be written.
      else void Promise.allSettled([saved]).then(() => reject(refused));
    });
    form.on('error', () => reject(problem('malformed_request', { detail: 'The form is malformed.' })));
    stream.on('error', reject);
    stream.pipe(form);
  });
}

/** Why a form can't be imported: options in it would have no effect, and one of two files would be ignored. */
function refusalOf(unknown: readonly string[], count: 0 | 1 | 2): Error | undefined {
  if (unknown.length > 0)
    return problem('unknown_field', {
      detail: 'The form can have a file only. Send the options as query parameters.',
      errors: unknown.map((name) => ({ pointer: `/${name}`, code: 'unknown_field', message: 'is not a known property' })),
    });
  if (count === 1) return undefined;
  return problem('validation_failed', {
    detail: count === 0 ? 'The form has no file.' : 'The form has several files. Import them one after the other.',
    errors: [
      {
        pointer: '/file',
        code: count === 0 ? 'required' : 'too_many_items',
        message: count === 0 ? 'is missing' : 'occurs several times',
      },
    ],
  });
}
