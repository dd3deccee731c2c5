import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Book } from '../src/book.js';
import { entry } from '../src/entry.js';
import { yearReport } from '../src/report.js';
import { median, typicalMonth } from '../src/statistics.js';

const MONTHS = ['1210.40', '980.00', '1105.00', '1320.75', '870.10', '1099.99', '1180.00', '1002.30', '1250.00'];
const year = MONTHS.map((amount, n) => entry(`2024-0${n + 1}-01`, `-${amount}`, 'rent'));

test('numbers of different lengths', () => {
  assert.equal(median([1000, 90, 8]), 90);
  assert.equal(median([1000, 9, 80, 100]), 90);
});

test('months that brought money back', () => {
  assert.equal(median([-500, 20, -1000]), -500);
});

test('the year of the report', () => {
  assert.equal(typicalMonth(year), 110500);
  assert.match(yearReport(new Book(year), 2024), /typical month +1105\.00/);
});

test('the values that were given stay in their order', () => {
  const given = [3, 1, 2];
  median(given);
  assert.deepEqual(given, [3, 1, 2]);
});
