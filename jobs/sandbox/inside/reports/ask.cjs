// Asks jest, vitest and mocha for a report wherever a command starts them; loaded into every Node by NODE_OPTIONS.
const fs = require("node:fs");
const path = require("node:path");

const MOST = 4; // reports of one kind in one run
const ENDINGS = { mocha: ".jsonl", jest: ".json", vitest: ".json" };
const started = path.basename(process.argv[1] || "").replace(/\.(c|m)?js$/, "").replace(/^_/, "");
const given = process.argv.slice(2);

// The next free name in /out, taken; none once there are enough.
function place(kind) {
  for (let number = 0; number < MOST; number++) {
    const file = `/out/${kind}${number || ""}${ENDINGS[kind]}`;
    try {
      fs.closeSync(fs.openSync(file, "wx"));
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

function ask(kind) {
  if (kind === "vitest" && given[0] && !given[0].startsWith("-") && !["run", "watch", "dev"].includes(given[0])) return [];
  if (given.some((word) => /^--(listTests|showConfig|init|version|help|clearCache|list-files)\b/.test(word))) return [];
  const file = place(kind);
  if (!file) return [];
  if (kind === "jest") return ["--ci", "--json", `--outputFile=${file}`];
  if (kind === "vitest") return ["--run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  process.env.PATCHWRIGHT_MOCHA_REPORT = file;
  return ["--reporter", path.join(__dirname, "mocha.cjs")];
}

// What a runner starts by itself is no run of its own.
if (ENDINGS[started] && !process.env.PATCHWRIGHT_ASKED) {
  process.env.PATCHWRIGHT_ASKED = "1";
  process.argv.push(...ask(started));
}
