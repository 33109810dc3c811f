/** A kind of secret in the words of gitleaks. */
export interface SecretRule {
  id: string;
  /** An RE2 expression; absent for rules about files alone. */
  regex?: string;
  /** In lower case; one of them is in every match, in any case of letters. */
  keywords?: readonly string[];
  /** Fewest bits per character (Shannon) that the secret has. */
  entropy?: number;
  /** The group that is the secret; the first one that took part by default, else the whole match. */
  secretGroup?: number;
  /** The rule is about files of these names only. */
  path?: string;
}

/** How a rule is run where its keyword stands. */
export interface RunRule {
  /** Characters of the match that stand before the keyword; none by default. */
  before?: number;
  /**
   * A native expression without unbounded parts that has to match at the keyword before the rule is tried; by default a value
   * that is long enough has to begin there.
   */
  gate?: string;
  /** The match may begin inside of a longer word. */
  mayFollowWord?: true;
  /**
   * Literals that stand in every match, where no word of twelve signs or more has to: the whole of a text that has all of them is
   * searched.
   */
  anywhere?: readonly string[];
  /** Secrets that are none. */
  harmless?: RegExp;
}
