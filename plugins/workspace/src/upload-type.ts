import { createReadStream } from 'node:fs';
import { invalid } from '@storeloom/plugin-sdk';
import type { UploadPurpose } from './contract.ts';

/** What a document may be: nothing that a browser runs. */
const documents: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/zip': 'zip',
};
const texts: Readonly<Record<string, string>> = { 'text/csv': 'csv', 'application/json': 'json', 'text/plain': 'txt' };

/** Whole files of UTF-8 without control characters; one that begins like markup is no plain text. */
async function isPlainText(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = '';
  try {
    for await (const chunk of createReadStream(path)) {
      const text = decoder.decode(chunk as Buffer, { stream: true });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell a binary file
      if (/[\u0000-\u0008\u000e-\u001f]/.test(text)) return false;
      if (start.length < 500) start += text;
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  return !/^[\s\uFEFF]*<(?:!doctype|\?xml|[a-z!])/i.test(start);
}

/** Detects the type from the content, not from the name or header. Images are checked by their decoder. */
export async function typeOf(
  path: string,
  purpose: Exclude<UploadPurpose, 'image'>,
  claimed: string,
  pointer = '/file',
): Promise<{ contentType: string; extension: string }> {
  const sniffed = await (await import('file-type')).fileTypeFromFile(path);
  const text = sniffed === undefined && (await isPlainText(path));
  const asText = { contentType: claimed in texts ? claimed : 'text/plain', extension: texts[claimed] ?? 'txt' };
  if (purpose === 'import') {
    if (!text) throw invalid(pointer, 'type_not_allowed', 'is not a CSV or JSON file');
    return asText;
  }
  if (purpose === 'digital') {
    // A product file of any type is a download and never displayed.
    if (sniffed) return { contentType: sniffed.mime, extension: sniffed.ext };
    return text ? asText : { contentType: 'application/octet-stream', extension: 'bin' };
  }
  if (text) return asText;
  const extension = sniffed && documents[sniffed.mime];
  if (!sniffed || extension === undefined)
    throw invalid(pointer, 'type_not_allowed', 'is not a PDF, office document, archive or plain text');
  return { contentType: sniffed.mime, extension };
}
