import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { METRICS } from '#operation/metric-table.ts';

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../config/deploy/monitoring/${name}`, import.meta.url));
const ALERTS = pathOf('alerts.yaml');

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary?: string; action?: string };
}

const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const cases = parse(readFileSync(fileURLToPath(new URL('./alert-cases.yaml', import.meta.url)), 'utf8')) as {
  tests: AlertCase[];
};
const dashboard = JSON.parse(readFileSync(pathOf('grafana-dashboard.json'), 'utf8')) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
};

/** The series that a scrape has, with the labels of those of the gateway. */
async function series(): Promise<Map<string, readonly string[]>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const known = new Map<string, readonly string[]>();
  for (const { name } of await registry.getMetricsAsJSON()) known.set(name, []);
  for (const [name, { type, labels }] of Object.entries(METRICS)) {
    const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const ending of endings)
      known.set(name + ending, [...Object.keys(labels), ...(ending === '_bucket' ? ['le'] : [])]);
  }
  return known;
}

const NAME = /\b(?:harn|nodejs|process)_\w+/g;

/** Names and labels of an expression that no scrape has. */
function unknownIn(expr: string, known: ReadonlyMap<string, readonly string[]>): string[] {
  const names = expr.match(NAME) ?? [];
  const labels = new Set(names.flatMap((name) => known.get(name) ?? []));
  const asked = [...expr.matchAll(/by \(([^)]*)\)|(\w+)="/g)].flatMap(([, by, one]) =>
    (by ?? one ?? '').split(/,\s*/),
  );
  return [...names.filter((name) => !known.has(name)), ...asked.filter((label) => !labels.has(label))];
}

describe('the dashboard and the alert rules', () => {
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];

  it('name only metrics that there are, by labels that they have', async () => {
    const known = await series();
    for (const [title, expr] of expressions)
      expect([title, (expr.match(NAME) ?? []).length > 0, unknownIn(expr, known)]).toEqual([title, true, []]);
    expect(unknownIn('sum by (agent, colour) (harn_tokens_total) / harn_none', known)).toEqual([
      'harn_none',
      'colour',
    ]);
  });

  it('show every metric of the gateway in a panel', () => {
    const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
    const unseen = Object.keys(METRICS).filter((name) => !shown.includes(name));
    expect(unseen).toEqual([]);
  });

  it('have one panel for each id, and say at each alert what to do', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { alert, annotations } of rules)
      expect([alert, annotations.summary, annotations.action]).toEqual([
        alert,
        expect.any(String),
        expect.any(String),
      ]);
  });

  it('have each alert in the table of the page on running it', () => {
    const page = readFileSync(
      fileURLToPath(new URL('../../src/operation/README.md', import.meta.url)),
      'utf8',
    );
    const told = page
      .split('\n')
      .flatMap((line) => (line.startsWith('| `Harn') ? (line.match(/`Harn\w+`/g) ?? []) : []));
    expect(told.toSorted()).toEqual(rules.map(({ alert }) => `\`${alert}\``).toSorted());
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  const because = hasPromtool ? '' : ' (skipped: promtool is not installed here)';
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return [status, stdout + stderr];
  };

  it.skipIf(!hasPromtool)(`are accepted by promtool${because}`, () => {
    expect(promtool('check', 'rules', ALERTS)).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it.skipIf(!hasPromtool)(`fire where they should, and are quiet where not, for promtool${because}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'harn-alerts-'));
    try {
      const file = join(folder, 'cases.yaml');
      writeFileSync(file, stringify({ ...cases, tests: cases.tests.map(annotated), rule_files: [ALERTS] }));
      expect(promtool('test', 'rules', file)).toEqual([0, expect.stringContaining('SUCCESS')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('have a case for each alert, in which it fires', () => {
    const fired = cases.tests.flatMap(({ alert_rule_test }) =>
      alert_rule_test.flatMap(({ alertname, exp_alerts }) => (exp_alerts.length > 0 ? [alertname] : [])),
    );
    expect(fired.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });
});

interface AlertCase {
  alert_rule_test: { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] }[];
}

/** With what the annotations of each alert say of its labels. */
function annotated({ alert_rule_test, ...rest }: AlertCase): object {
  const tests = alert_rule_test.map((test) => {
    const about = rules.find(({ alert }) => alert === test.alertname)?.annotations ?? {};
    const exp_alerts = test.exp_alerts.map((expected) => ({
      ...expected,
      exp_annotations: Object.fromEntries(
        Object.entries(about).map(([name, text]) => [
          name,
          text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label) => expected.exp_labels[label] ?? ''),
        ]),
      ),
    }));
    return { ...test, exp_alerts };
  });
  return { ...rest, alert_rule_test: tests };
}
