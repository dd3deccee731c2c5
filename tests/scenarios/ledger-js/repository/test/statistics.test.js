import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from '../src/entry.js';
import { median, perCategory, perMonth, typicalMonth } from '../src/statistics.js';

const entries = [
  entry('2024-02-01', '-780', 'rent'),
  entry('2024-01-01', '-780', 'rent'),
  entry('2024-01-15', '-42.50', 'groceries'),
  entry('2024-01-20', '12.50', 'groceries', 'returned'),
  entry('2024-01-27', '2100', 'income'),
  entry('2024-03-01', '-800', 'rent'),
];

test('the middle of an odd and of an even number of values', () => {
  assert.equal(median([300, 100, 200]), 200);
  assert.equal(median([100, 200, 300, 401]), 250);
  assert.equal(median([]), 0);
});

test('what each month cost', () => {
  assert.deepEqual(perMonth(entries), [['2024-01', 81000], ['2024-02', 78000], ['2024-03', 80000]]);
  assert.equal(typicalMonth(entries), 80000);
});

test('the dearest category comes first', () => {
  assert.deepEqual(perCategory(entries), [['rent', 236000], ['groceries', 3000]]);
});
