/** A file that the API returned. Read the body once, by one of the methods or from the stream. */
export interface Download {
  /** HTTP status. */
  readonly status: number;
  /** Media type without parameters: `application/pdf`. */
  readonly type: string;
  /** Name that `Content-Disposition` proposes. */
  readonly filename: string | undefined;
  /** Bytes, if the response states them. */
  readonly size: number | undefined;
  /** The bytes as they arrive. */
  readonly body: ReadableStream<Uint8Array>;
  /** Reads the whole body as text. */
  text(): Promise<string>;
  /** Reads the whole body. */
  bytes(): Promise<Uint8Array>;
  /** Reads the whole body with its type. */
  blob(): Promise<Blob>;
}

export function downloadOf(response: Response): Download {
  const header = (name: string): string => response.headers.get(name) ?? '';
  const length = header('content-length');
  return {
    status: response.status,
    type: header('content-type').split(';', 1)[0] as string,
    filename: filenameOf(header('content-disposition')),
    // The length of a compressed body isn't that of the file.
    size: length && !header('content-encoding') ? Number(length) : undefined,
    body: response.body as ReadableStream<Uint8Array>,
    text: () => response.text(),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    blob: () => response.blob(),
  };
}

/** RFC 6266: `filename*` wins over `filename`. */
function filenameOf(disposition: string): string | undefined {
  const encoded = /filename\*=(?:UTF-8'[^']*')([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded.trim());
    } catch {
      // Not well-formed: the plain name follows.
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"|filename=([^;\s]+)/i.exec(disposition)?.slice(1).find(Boolean)?.replace(/\\(.)/g, '$1');
}
