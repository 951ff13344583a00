import { type LocalText, service } from '@storeloom/plugin-sdk';

/** Writes product descriptions. Without a provider the route `generate-description` responds 501. */
export interface TextGenerator {
  /** Name shown in the response. */
  readonly provider: string;
  /** Returns HTML by locale. Called outside any transaction. */
  describe(request: {
    locales: readonly string[];
    tone: string | null;
    facts: readonly string[];
    product: { title: LocalText; brand: string | null; options: { name: string; values: string[] }[]; tags: string[] };
    signal: AbortSignal;
  }): Promise<LocalText>;
}

/** Token of `TextGenerator`. */
export const textGenerator = service<TextGenerator>('catalog:text-generator');
