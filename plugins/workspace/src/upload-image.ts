import { createLimiter, invalid, problem } from '@storeloom/plugin-sdk';
import type { Sharp } from 'sharp';

/** Format that sharp names → media type and ending. What isn't here (SVG above all, which is a program) is no image. */
const formats = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  avif: { contentType: 'image/avif', extension: 'avif' },
} as const;
type Format = keyof typeof formats;

/** Pixels of all frames; a photo of a good telephone has 50 million. */
const maxPixels = 64_000_000;
const maxFrames = 300;
/** An image being processed takes four bytes a pixel of memory. */
const inTurn = createLimiter({
  concurrency: 2,
  maxWaiting: 50,
  refuse: () => problem('unavailable', { detail: 'Too many images are being processed. Try again in a moment.', retryAfter: 5 }),
});

const encode: Record<Format, (image: Sharp) => Sharp> = {
  jpeg: (image) => image.jpeg({ quality: 85, mozjpeg: true }),
  png: (image) => image.png(),
  webp: (image) => image.webp({ quality: 85 }),
  gif: (image) => image.gif(),
  avif: (image) => image.avif({ quality: 60 }),
};

const noImage = (pointer: string) => invalid(pointer, 'type_not_allowed', 'is not a JPEG, PNG, WebP, GIF or AVIF image');

/** Decodes and encodes again: what isn't picture (position, camera, a program behind the last byte) is gone. Turned upright first. */
export function reencode(bytes: Buffer, pointer = '/file') {
  return inTurn(async () => {
    // Modules and threads that most processes never need.
    const { default: sharp } = await import('sharp');
    sharp.cache(false);
    // The head says how large the picture is, before any of it is decoded.
    const open = (pages: number): Sharp =>
      sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages, sequentialRead: true });
    const head = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
      .metadata()
      .catch(() => undefined);
    const format = head?.format === 'heif' && head.compression === 'av1' ? 'avif' : head?.format;
    if (!head || format === undefined || !Object.hasOwn(formats, format)) throw noImage(pointer);
    const frames = head.pages ?? 1;
    const pixels = head.width * (head.pageHeight ?? head.height) * frames;
    if (pixels > maxPixels || frames > maxFrames)
      throw invalid(pointer, 'image_too_large', `exceeds ${maxPixels} pixels in all frames, or ${maxFrames} frames`);
    const kind = format as Format;
    const animated = frames > 1 && (kind === 'gif' || kind === 'webp');
    const turned = animated ? open(-1) : open(1).autoOrient();
    let made: { data: Buffer; info: { width: number; height: number; pageHeight?: number } };
    try {
      made = await encode[kind](turned).timeout({ seconds: 30 }).toBuffer({ resolveWithObject: true });
    } catch {
      throw invalid(pointer, 'image_broken', "can't be decoded");
    }
    const { width, height, pageHeight } = made.info;
    return { content: made.data, ...formats[kind], width, height: pageHeight ?? height };
  });
}
