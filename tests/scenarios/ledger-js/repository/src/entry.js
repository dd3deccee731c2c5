import { parseAmount } from './money.js';

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** An entry out of words as they are typed. */
export function entry(date, amount, category, text = '') {
  if (!DATE.test(date)) throw new Error(`'${date}' is not a date like 2024-03-02`);
  return { date, cents: parseAmount(amount), category: category.toLowerCase(), text };
}

/** '2024-03' of an entry. */
export function monthOf(entry) {
  return entry.date.slice(0, 7);
}

/** True if money went out, or came back into a spending category. */
export function isSpending(entry) {
  return entry.category !== 'income';
}
