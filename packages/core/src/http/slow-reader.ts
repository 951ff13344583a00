import type { ServerResponse } from 'node:http';

/** A client must take this many bytes in each window while data waits for it: about 1 KB/s. */
const window = { ms: 30_000, bytes: 32 * 1024 };

/** Destroys the connection of a client that reads a streamed response too slowly: sockets, buffers and open files belong to it. */
export function endSlowReader(res: ServerResponse, { ms, bytes } = window): void {
  const { socket } = res;
  if (!socket) return;
  const taken = (): number => socket.bytesWritten - socket.writableLength;
  let before = taken();
  const timer = setInterval(() => {
    const now = taken();
    if (res.writableLength > 0 && now - before < bytes) socket.destroy();
    before = now;
  }, ms);
  timer.unref();
  res.once('close', () => clearInterval(timer));
}
