import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './invocation.ts';

/** Where the settings of a user are. */
export interface SettingsPlaces {
  home: string;
  /** `XDG_CONFIG_HOME`, else `~/.config`. */
  config: string;
}

/** An editor of the README, and where its settings can name the gateway. */
interface Editor {
  name: string;
  files(places: SettingsPlaces): readonly string[];
}

const EDITORS: readonly Editor[] = [
  {
    name: 'Zed',
    files: ({ home, config }) => [
      join(config, 'zed', 'settings.json'),
      join(home, '.var', 'app', 'dev.zed.Zed', 'config', 'zed', 'settings.json'),
    ],
  },
  { name: 'JetBrains', files: ({ home }) => [join(home, '.jetbrains', 'acp.json')] },
  { name: 'Neovim', files: ({ config }) => scriptsIn(join(config, 'nvim'), /\.(lua|vim)$/) },
  {
    name: 'Emacs',
    files: ({ home, config }) => [
      join(home, '.emacs'),
      join(home, '.emacs.el'),
      ...scriptsIn(join(home, '.emacs.d'), /\.el$/, 1),
      ...scriptsIn(join(config, 'emacs'), /\.el$/, 1),
    ],
  },
];

/** What is known of one editor. */
export interface EditorSight {
  editor: string;
  /** Files of its settings that name the gateway. */
  files: readonly string[];
  /** True where one of them starts the gateway by its bare name, which has to be in PATH then. */
  needsPath: boolean;
}

/** Settings are pages of text; more is none. */
const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 5;
const BARE_NAME = new RegExp(`["']${PROGRAM}["']`);

/** Looks for the gateway in the settings of every editor that the README names. Nothing of them is kept or shown. */
export function inspectEditors(places: SettingsPlaces): EditorSight[] {
  return EDITORS.map(({ name, files }) => {
    const naming = files(places).flatMap((file) => {
      const text = textOf(file);
      return text?.includes(PROGRAM) ? [{ file, text }] : [];
    });
    return {
      editor: name,
      files: naming.map(({ file }) => file),
      needsPath: naming.some(({ text }) => BARE_NAME.test(text)),
    };
  });
}

/** Undefined for what is not there or cannot be read: it names nothing. */
function textOf(file: string): string | undefined {
  try {
    return statSync(file).size > MAX_BYTES ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function scriptsIn(dir: string, names: RegExp, depth = MAX_DEPTH): string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return scriptsIn(path, names, depth - 1);
      return names.test(entry.name) ? [path] : [];
    });
  } catch {
    return [];
  }
}
