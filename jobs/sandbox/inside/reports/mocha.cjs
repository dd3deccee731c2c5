// Reporter for mocha: a readable line and a JSON line for each finished test.
const fs = require("node:fs");
const path = require("node:path");

const REPORT = process.env.PATCHWRIGHT_MOCHA_REPORT || "/out/mocha.jsonl";

module.exports = class Report {
  constructor(runner) {
    fs.writeFileSync(REPORT, "");
    const write = (test, state, error) => {
      const file = test.file ? path.relative(process.cwd(), test.file) : "";
      const message = error ? String(error.stack || error.message || error) : "";
      const id = [file, ...test.titlePath()].join(" > ");
      fs.appendFileSync(REPORT, JSON.stringify({ id, state, message }) + "\n");
      console.log(`${state}: ${id}${message ? "\n" + message : ""}`);
    };
    runner.on("pass", (test) => write(test, "passed"));
    runner.on("fail", (test, error) => write(test, test.type === "hook" ? "error" : "failed", error));
    runner.on("pending", (test) => write(test, "skipped"));
    runner.on("end", () => console.log(`${runner.stats ? runner.stats.failures : runner.failures} failing`));
  }
};
