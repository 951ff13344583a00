import { job } from '@storeloom/plugin-sdk';

/** Images of an import that are still to be fetched. */
export interface ImagesRequest {
  sources: string[];
  userId?: string | null;
  /** Attempt for these sources, 1 for the first. */
  attempt?: number;
  /** Number of images that earlier attempts gave up. */
  lost?: number;
}

/** Jobs that are queued with data. */
export const queued = {
  import: job<{ id: string }>('import'),
  images: job<ImagesRequest>('images'),
};
