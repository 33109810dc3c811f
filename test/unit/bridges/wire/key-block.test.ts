import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyBlocks } from '../../../../bridges/wire/key-block.ts';

const BODY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
  .split('\n')
  .slice(1, -2);

describe('a private key that comes line by line', () => {
  const clean = (lines: readonly string[]) => {
    const keys = new KeyBlocks();
    return lines.map((line) => keys.clean(line));
  };

  it('is hidden behind what a logger writes before each line, and with headers', () => {
    const logged = ['-----BEGIN RSA PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED', '', ...BODY].map(
      (line) => `[err] ${line}`,
    );
    expect(clean([...logged, '[err] -----END RSA PRIVATE KEY----- and on']).slice(1, -1)).toEqual(
      logged.slice(1).map(() => '[redacted]'),
    );
  });

  it('ends with the first line that cannot be of one', () => {
    expect(
      clean(['-----BEGIN PRIVATE KEY-----', BODY[0] ?? '', 'AbC=', 'at main (app.js:1)', 'next']),
    ).toEqual(['-----BEGIN PRIVATE KEY-----', '[redacted]', '[redacted]', 'at main (app.js:1)', 'next']);
  });

  it('is hidden where it begins and ends within lines', () => {
    expect(
      clean([`key: -----BEGIN PRIVATE KEY-----${BODY[0]}`, `${BODY[1]}-----END PRIVATE KEY----- ok`]),
    ).toEqual(['key: -----BEGIN PRIVATE KEY-----[redacted]', '-----END PRIVATE KEY----- ok']);
    expect(clean([`a -----BEGIN PRIVATE KEY-----${BODY[0]}-----END PRIVATE KEY----- b`, 'c'])).toEqual([
      'a -----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY----- b',
      'c',
    ]);
  });

  it('is no certificate and no public key', () => {
    const lines = ['-----BEGIN CERTIFICATE-----', BODY[0] ?? '', '-----END CERTIFICATE-----'];
    expect(clean(lines)).toEqual(lines);
  });
});
