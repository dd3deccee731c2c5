import { earned, spent } from './book.js';
import { formatAmount } from './money.js';
import { perCategory, perMonth, typicalMonth } from './statistics.js';

const row = (name, cents) => `${name.padEnd(14)}${formatAmount(cents).padStart(12)}`;

/** A month as text. */
export function monthReport(book, month) {
  const entries = book.inMonth(month);
  const categories = perCategory(entries).map(([name, cents]) => row(`  ${name}`, cents));
  return [month, row('earned', earned(entries)), row('spent', spent(entries)), ...categories].join('\n');
}

/** A year as text. */
export function yearReport(book, year) {
  const entries = book.inYear(year);
  return [
    String(year),
    ...perMonth(entries).map(([month, cents]) => row(`  ${month}`, cents)),
    row('typical month', typicalMonth(entries)),
    ...perCategory(entries).map(([name, cents]) => row(`  ${name}`, cents)),
  ].join('\n');
}
