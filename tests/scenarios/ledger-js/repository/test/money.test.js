import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount, parseAmount } from '../src/money.js';

test('amounts are read with point or comma', () => {
  assert.equal(parseAmount('12.8'), 1280);
  assert.equal(parseAmount('-12,80'), -1280);
  assert.throws(() => parseAmount('12.345'), /not an amount/);
});

test('amounts are written with two digits', () => {
  assert.equal(formatAmount(-5), '-0.05');
  assert.equal(formatAmount(123450), '1234.50');
});
