import { entry } from './entry.js';
import { formatAmount } from './money.js';
import { monthReport, yearReport } from './report.js';
import { load, save } from './storage.js';

const USAGE = `usage: pocket-ledger [--file FILE] COMMAND
  add DATE AMOUNT CATEGORY [TEXT]
  month YYYY-MM
  year YYYY
  balance`;

const COMMANDS = {
  add(file, [date, amount, category, text]) {
    if (!category) throw new Error('add needs a date, an amount and a category');
    const added = entry(date, amount, category, text);
    save(load(file).add(added), file);
    return `${formatAmount(added.cents)} in ${added.category}`;
  },
  month: (file, [month]) => monthReport(load(file), month),
  year: (file, [year]) => yearReport(load(file), year),
  balance: (file) => formatAmount(load(file).balance),
};

/** Runs one command; returns the exit code. */
export function main(words, out, err) {
  const rest = [...words];
  const file = rest[0] === '--file' ? rest.splice(0, 2)[1] : 'ledger.json';
  const command = COMMANDS[rest.shift()];
  if (!command) {
    err(USAGE);
    return 2;
  }
  try {
    out(command(file, rest));
    return 0;
  } catch (wrong) {
    err(`pocket-ledger: ${wrong.message}`);
    return 1;
  }
}
