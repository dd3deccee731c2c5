// Amounts are whole cents; spending is negative.

const AMOUNT = /^([+-]?)(\d+)(?:[.,](\d{1,2}))?$/;

/** The cents of '12', '12.8' or '-12,80'. */
export function parseAmount(text) {
  const found = AMOUNT.exec(text.trim());
  if (!found) throw new Error(`'${text}' is not an amount of money`);
  const [, sign, whole, fraction = ''] = found;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

/** '-12.80' for -1280. */
export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : '';
  const size = Math.abs(cents);
  return `${sign}${Math.floor(size / 100)}.${String(size % 100).padStart(2, '0')}`;
}
