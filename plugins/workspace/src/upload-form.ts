import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invalid, Problem, problem } from '@storeloom/plugin-sdk';
import busboy from 'busboy';

export interface ReceivedForm {
  /** A temporary file; `remove` it. */
  path: string;
  size: number;
  name: string;
  contentType: string;
  fields: Record<string, string>;
  remove(): Promise<void>;
}

interface FormLimits {
  maxBytes: number;
  /**
   * Called with the fields before the file, when the file begins. Throws if it isn't accepted; otherwise returns its size, and nothing beyond
   * it is stored.
   */
  admitFile?(fields: Readonly<Record<string, string>>): number;
}

/** The one file and the short texts of a form; the file goes to the disk, never whole into memory. */
export async function receiveForm(
  stream: Readable,
  headers: IncomingHttpHeaders,
  { fields: known, ...limits }: FormLimits & { fields: readonly string[] },
): Promise<ReceivedForm> {
  const folder = await mkdtemp(join(tmpdir(), 'storeloom-upload-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'file');
    const form = await parse(stream, headers, path, limits);
    const unknown = Object.keys(form.fields).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw problem('unknown_field', {
        errors: [{ pointer: `/${unknown}`, code: 'unknown_field', message: 'is not a known property' }],
      });
    return { ...form, path, size: (await stat(path)).size, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function parse(
  stream: Readable,
  headers: IncomingHttpHeaders,
  path: string,
  { maxBytes, admitFile }: FormLimits,
): Promise<Pick<ReceivedForm, 'name' | 'contentType' | 'fields'>> {
  return new Promise((resolve, refuse) => {
    const reject = (error: unknown): void => {
      // Stop reading: the connection is closed with the response.
      stream.unpipe();
      stream.pause();
      refuse(error);
    };
    let form: ReturnType<typeof busboy>;
    try {
      form = busboy({
        headers,
        defParamCharset: 'utf8',
        limits: { files: 1, fileSize: maxBytes, fields: 20, fieldSize: 20_000, parts: 25, headerPairs: 50 },
      });
    } catch {
      reject(problem('malformed_request', { detail: 'The form has no boundary.' }));
      return;
    }
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let saved: Promise<{ name: string; contentType: string }> | undefined;
    form.on('field', (name, value) => {
      if (value.includes('\0') || !value.isWellFormed())
        reject(problem('malformed_request', { detail: `The field ${JSON.stringify(name)} isn't text.` }));
      fields[name] = value;
    });
    form.on('file', (_, file, info) => {
      let expected = Number.POSITIVE_INFINITY;
      try {
        if (admitFile) expected = admitFile(fields);
      } catch (error) {
        file.resume();
        reject(error);
        return;
      }
      let size = 0;
      file.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > expected) file.destroy(invalid('/file', 'size_differs', `must have the announced size of ${expected} bytes`));
      });
      saved = pipeline(file, createWriteStream(path, { mode: 0o600 })).then(() => {
        if ((file as { truncated?: boolean }).truncated)
          throw problem('payload_too_large', { detail: `The file is larger than ${maxBytes} bytes.`, limit: maxBytes });
        return { name: info.filename ?? 'file', contentType: info.mimeType };
      });
      saved.catch(reject);
    });
    form.on('filesLimit', () =>
      reject(
        problem('validation_failed', { errors: [{ pointer: '/file', code: 'too_many', message: 'only one file is allowed' }] }),
      ),
    );
    form.on('close', () => {
      if (saved) saved.then((file) => resolve({ ...file, fields }), reject);
      else
        reject(
          problem('validation_failed', {
            detail: 'The form has no file.',
            errors: [{ pointer: '/file', code: 'required', message: 'is missing' }],
          }),
        );
    });
    form.on('error', () => reject(problem('malformed_request', { detail: 'The form is malformed.' })));
    stream.on('error', (error) => {
      form.destroy();
      reject(error instanceof Problem ? error : problem('malformed_request', { detail: 'The body is incomplete.' }));
    });
    stream.pipe(form);
  });
}
