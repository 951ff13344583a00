export function rowsOf(text: string): string[][];
export function recordsOf(text: string): {
  head: string[];
  records: ({ line: number; width: number } & Record<string, string>)[];
};
export function toCsv(rows: string[][]): string;
