import { spent } from './book.js';
import { isSpending, monthOf } from './entry.js';

/** The middle value; of an even number of values the mean of the two in the middle, in whole cents; 0 of none. */
export function median(values) {
  if (values.length === 0) return 0;
  const ordered = [...values].sort();
  const middle = Math.floor(ordered.length / 2);
  if (ordered.length % 2 === 1) return ordered[middle];
  return Math.round((ordered[middle - 1] + ordered[middle]) / 2);
}

/** What each month with entries cost: [['2024-01', 65000], …], by month. */
export function perMonth(entries) {
  const months = new Map();
  for (const entry of entries) {
    const month = monthOf(entry);
    months.set(month, [...(months.get(month) ?? []), entry]);
  }
  return [...months].map(([month, own]) => [month, spent(own)]).sort(([a], [b]) => a.localeCompare(b));
}

/** What a month typically costs. */
export function typicalMonth(entries) {
  return median(perMonth(entries).map(([, cents]) => cents));
}

/** What each category cost: [['rent', 78000], …], the dearest first. */
export function perCategory(entries) {
  const sums = new Map();
  for (const entry of entries.filter(isSpending)) {
    sums.set(entry.category, (sums.get(entry.category) ?? 0) - entry.cents);
  }
  return [...sums].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
}
