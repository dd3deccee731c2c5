import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Book } from './book.js';

/** The book in the file at `path`; an empty one if there is no file yet. */
export function load(path) {
  if (!existsSync(path)) return new Book();
  const data = JSON.parse(readFileSync(path, 'utf8'));
  if (data.version !== 1) throw new Error(`${path} has version ${data.version}, not 1`);
  return new Book(data.entries);
}

/** Writes the book whole, or leaves the old file. */
export function save(book, path) {
  writeFileSync(`${path}.new`, JSON.stringify({ version: 1, entries: book.entries }, null, 1));
  renameSync(`${path}.new`, path);
}
