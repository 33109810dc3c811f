import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './config-harness.ts';

const BESIDE = '/opt/harn-gateway/config/personas';
const clerk = [
  'id: clerk',
  'name: Clerk',
  'version: "1"',
  'entry_workflow: a2a:sample',
  'description: Answers.',
  'autonomy_tier: act_auto',
  'receipt_policy: optional',
].join('\n');

describe('personas from files', () => {
  it('are the YAML files of personas/ beside the configuration file', () => {
    const files = { [`${BESIDE}/clerk.yaml`]: clerk, [`${BESIDE}/notes.txt`]: 'none' };
    const { personas } = load({ yaml: '', files });
    expect(personas).toMatchObject([
      { id: 'clerk', tenant: 'tenant_default', definition: { name: 'Clerk', tools: [], quota_id: null } },
    ]);
  });

  it('are none where that directory is absent, and a fault where a named one is', () => {
    expect(load({ yaml: '' }).personas).toEqual([]);
    expect(faultsOf({ yaml: 'personas: {dir: people}' })).toMatchObject([
      { path: 'personas.dir', message: 'the directory /srv/gateway/people does not exist' },
    ]);
  });

  it('report every fault with its file, line and option', () => {
    const bad = clerk.replace('act_auto', 'boss').replace('name: Clerk', 'nome: Clerk');
    const file = `${BESIDE}/clerk.yaml`;
    const faults = faultsOf({ yaml: '', files: { [file]: bad } });
    expect(faults.map(({ path, file: at, line }) => [path, at, line]).sort()).toEqual([
      ['autonomy_tier', file, 6],
      ['name', file, undefined],
      ['nome', file, 2],
    ]);
  });

  it('share no id with each other or with an upstream, and belong to a configured tenant', () => {
    const files = {
      [`${BESIDE}/a.yaml`]: clerk,
      [`${BESIDE}/b.yaml`]: clerk,
      [`${BESIDE}/c.yaml`]: clerk.replace('id: clerk', 'id: sample\ntenant: nobody'),
    };
    expect(faultsOf({ yaml: '', files }).map(({ path, file }) => [path, file])).toEqual([
      ['id', `${BESIDE}/b.yaml`],
      ['id', `${BESIDE}/c.yaml`],
      ['tenant', `${BESIDE}/c.yaml`],
    ]);
  });
});
