import { type LocalText, service } from '@storeloom/plugin-sdk';

/** Writes product texts. No plugin of this repository provides one: `generate-description` answers 501 until an installation does. */
export interface TextGenerator {
  /** Name shown in the answer. */
  readonly provider: string;
  /** HTML by locale. Called outside any transaction. */
  describe(request: {
    locales: readonly string[];
    tone: string | null;
    facts: readonly string[];
    product: { title: LocalText; brand: string | null; options: { name: string; values: string[] }[]; tags: string[] };
    signal: AbortSignal;
  }): Promise<LocalText>;
}

export const textGenerator = service<TextGenerator>('catalog:text-generator');
