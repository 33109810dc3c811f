/** Texts kept per generation: a second or two of a busy gateway. */
const MAX_TEXTS = 4_096;
/** Longer texts are seldom seen twice, and would make the memory grow. */
const MAX_TEXT_LENGTH = 1_024;

/**
 * Remembers texts for a while, in bounded memory: when the newer half is full, the older one is forgotten. An id, or what a
 * message says, passes redaction several times on its way into the log.
 */
export class RecentTexts {
  /** Some of them; asked first where calls count. */
  newer = new Set<string>();
  private older = new Set<string>();

  has(text: string): boolean {
    if (text.length > MAX_TEXT_LENGTH) return false;
    if (this.newer.has(text)) return true;
    if (!this.older.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (text.length > MAX_TEXT_LENGTH) return;
    if (this.newer.size === MAX_TEXTS) {
      this.older = this.newer;
      this.newer = new Set();
    }
    this.newer.add(text);
  }

  clear(): void {
    this.newer.clear();
    this.older.clear();
  }
}
