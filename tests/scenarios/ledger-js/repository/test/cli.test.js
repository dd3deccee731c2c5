import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { main } from '../src/cli.js';

const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
after(() => rmSync(folder, { recursive: true }));

function run(...words) {
  const said = [];
  const code = main(['--file', join(folder, 'l.json'), ...words], (t) => said.push(t), (t) => said.push(t));
  return [code, said.join('\n')];
}

test('a day with the ledger', () => {
  assert.deepEqual(run('add', '2024-03-02', '-12.80', 'Groceries', 'Bakery'), [0, '-12.80 in groceries']);
  assert.deepEqual(run('balance'), [0, '-12.80']);
  assert.match(run('month', '2024-03')[1], /spent +12\.80/);
  assert.match(run('year', '2024')[1], /typical month +12\.80/);
});

test('what is wrong is said in a line', () => {
  assert.deepEqual(run('add', 'today', '1', 'x'), [1, "pocket-ledger: 'today' is not a date like 2024-03-02"]);
  assert.equal(run('dance')[0], 2);
});
