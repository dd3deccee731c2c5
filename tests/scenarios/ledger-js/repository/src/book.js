import { isSpending, monthOf } from './entry.js';

/** All entries, oldest first. */
export class Book {
  constructor(entries = []) {
    this.entries = [...entries].sort((a, b) => a.date.localeCompare(b.date));
  }

  add(entry) {
    return new Book([...this.entries, entry]);
  }

  inMonth(month) {
    return this.entries.filter((entry) => monthOf(entry) === month);
  }

  inYear(year) {
    return this.entries.filter((entry) => entry.date.startsWith(`${year}-`));
  }

  get balance() {
    return this.entries.reduce((sum, entry) => sum + entry.cents, 0);
  }
}

/** What was spent, as a positive number of cents. */
export function spent(entries) {
  return entries.filter(isSpending).reduce((sum, entry) => sum - entry.cents, 0);
}

/** What came in. */
export function earned(entries) {
  return entries.filter((entry) => !isSpending(entry)).reduce((sum, entry) => sum + entry.cents, 0);
}
