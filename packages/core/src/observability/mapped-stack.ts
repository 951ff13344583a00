import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';

/** Maps by the URL of their script; null for a script without one. A map of a bundle takes about a megabyte. */
const maps = new LRUCache<string, { map: SourceMap | null }>({ max: 8 });
const location = /(file:\/\/\/[^\s()]+?\.js):(\d+):(\d+)/;

/**
 * Replaces the positions of a bundle in a stack frame by those of its source. Maps are read with the first error: with
 * `--enable-source-maps` every start would read all of them.
 */
export function mappedFrame(frame: string): string {
  return frame.replace(location, (whole, script: string, line: string, column: string) => {
    const found = mapOf(script)?.findOrigin(Number(line), Number(column));
    return found && 'fileName' in found ? `${found.fileName}:${found.lineNumber}:${found.columnNumber}` : whole;
  });
}

function mapOf(script: string): SourceMap | null {
  const known = maps.get(script);
  if (known) return known.map;
  const map = read(script);
  maps.set(script, { map });
  return map;
}

function read(script: string): SourceMap | null {
  let payload: SourceMapPayload;
  try {
    payload = JSON.parse(readFileSync(fileURLToPath(`${script}.map`), 'utf8')) as SourceMapPayload;
  } catch {
    // Most dependencies have no map. An unreadable one must not replace the error that is being logged: the frame names the script.
    return null;
  }
  return new SourceMap({ ...payload, sources: payload.sources.map((source) => new URL(source, script).href) });
}
