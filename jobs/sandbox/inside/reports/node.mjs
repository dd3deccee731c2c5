// Reporter for node's own test runner: one JSON line for each finished test.
import { relative } from "node:path";

function stateOf(event) {
  const { data } = event;
  if (data.skip !== undefined && data.skip !== false) return "skipped";
  if (data.todo !== undefined && data.todo !== false) return "skipped";
  return event.type === "test:pass" ? "passed" : "failed";
}

function messageOf(error) {
  if (!error) return "";
  const cause = error.cause ?? error;
  const message = String(cause?.message ?? cause);
  const stack = String(cause?.stack ?? "");
  return stack.includes(message) ? stack : `${message}\n${stack}`; // a stack from another process may have lost it
}

export default async function* report(source) {
  const names = new Map(); // file -> names of the open tests, by nesting
  for await (const event of source) {
    const { data } = event;
    if (event.type === "test:start") {
      const open = names.get(data.file) ?? [];
      names.set(data.file, [...open.slice(0, data.nesting), data.name]);
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const error = data.details?.error;
    if (data.details?.type === "suite" && (event.type === "test:pass" || error?.failureType === "subtestsFailed")) continue;
    const file = data.file ? relative(process.cwd(), data.file) : "";
    const path = [...(names.get(data.file) ?? []).slice(0, data.nesting), data.name];
    const whole = data.nesting === 0 && (data.name === file || data.name === data.file);
    yield JSON.stringify({
      id: whole ? file : [file, ...path].join(" > "),
      state: stateOf(event),
      message: event.type === "test:fail" ? messageOf(error) : "",
    }) + "\n";
  }
}
