/**
 * A short text that a regular expression matches: literals, classes, groups, alternatives and counts, each taken at its least.
 * Undefined where the expression uses more than that (lookarounds, back references). Check the text before you use it.
 */
export function sampleOf(pattern: string): string | undefined {
  const reader = new Reader(pattern);
  const text = reader.alternatives();
  return reader.failed || !reader.atEnd() ? undefined : text;
}

class Reader {
  readonly pattern: string;
  at = 0;
  failed = false;
  constructor(pattern: string) {
    this.pattern = pattern;
  }
  atEnd(): boolean {
    return this.at >= this.pattern.length;
  }
  peek(): string {
    return this.pattern[this.at] ?? '';
  }
  take(): string {
    return this.pattern[this.at++] ?? '';
  }

  /** `a|b|c`: the first. */
  alternatives(): string {
    const first = this.sequence();
    while (this.peek() === '|') {
      this.at++;
      this.sequence();
    }
    return first;
  }

  private sequence(): string {
    let text = '';
    while (!this.atEnd() && !this.failed && this.peek() !== '|' && this.peek() !== ')') text += this.piece();
    return text;
  }

  private piece(): string {
    const atom = this.atom();
    const least = this.count();
    return least > 200 ? this.fail() : atom.repeat(least);
  }

  private atom(): string {
    const char = this.take();
    switch (char) {
      case '^':
      case '$':
        return '';
      case '.':
        return 'a';
      case '(': {
        if (this.peek() === '?') {
          const kind = /^\?(?::|<[A-Za-z]\w*>)/.exec(this.pattern.slice(this.at));
          if (!kind) return this.fail();
          this.at += kind[0].length;
        }
        const inside = this.alternatives();
        return this.take() === ')' ? inside : this.fail();
      }
      case '[':
        return this.oneOfClass();
      case '\\':
        return this.escaped(this.take());
      default:
        return char;
    }
  }

  /** How often at least; reads the laziness mark too. */
  private count(): number {
    const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(this.pattern.slice(this.at));
    if (!found) return 1;
    this.at += found[0].length;
    if (found[1] !== undefined) return Number(found[1]);
    return found[0].startsWith('+') ? 1 : 0;
  }

  private oneOfClass(): string {
    const end = /^(?:\\.|[^\\\]])*/.exec(this.pattern.slice(this.at)) as RegExpExecArray;
    const members = end[0];
    this.at += members.length + 1;
    const source = `[${members}]`;
    const known = ['a', '1', 'A', 'b', '-', '_', ' ', '.', ...members].find((char) => matches(source, char));
    return known ?? this.fail();
  }

  private escaped(char: string): string {
    if (char === 'd') return '1';
    if (char === 'w') return 'a';
    if (char === 's') return ' ';
    if (char === 'b' || char === 'B') return '';
    if (char === 'p' || char === 'P' || char === 'u' || char === 'x' || char === 'k' || /\d/.test(char)) {
      const property = /^\{[^}]*\}/.exec(this.pattern.slice(this.at));
      if (char !== 'p' || !property) return this.fail();
      this.at += property[0].length;
      return ['a', 'A', '1', '.', '-'].find((one) => matches(`\\p${property[0]}`, one)) ?? this.fail();
    }
    return char;
  }

  private fail(): string {
    this.failed = true;
    return '';
  }
}

function matches(source: string, char: string): boolean {
  try {
    return new RegExp(`^${source}$`, 'u').test(char);
  } catch {
    // A class that only means something without the `u` flag: no sample.
    return false;
  }
}
