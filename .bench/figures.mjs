// Prints the figures of the design beside those of other libraries: same
// machine, same run, same JavaScript engine. Called by `make bench`, which has
// packed the app at its best compression before.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { measure } from "./peers.mjs";

// Each figure: the benchmark it is, what it divides by, the peers and how many
// times as fast as each we want to be.
const figures = [
  { name: "verify a history, each event", pkg: "./wasm/verify", bench: "BenchmarkFrameToVerified", peer: "history", goals: { "nostr-wasm": 5, "nostr-tools": 25 } },
  { name: "NIP-44 decrypt, 200 bytes", pkg: "./wasm/nip44", bench: "BenchmarkDecrypt200", peer: "decrypt200", goals: { "nostr-tools": 3 } },
  { name: "NIP-44 decrypt, 32 kB", pkg: "./wasm/nip44", bench: "BenchmarkDecrypt32k", peer: "decrypt32k", goals: { "nostr-tools": null } },
  { name: "NIP-44 conversation key", pkg: "./wasm/nip44", bench: "BenchmarkConversationKey", peer: "conversation", goals: { "nostr-tools": null } },
];
const MAX_WASM = 2.9e6; // bytes of app.wasm after brotli 11

// What the benchmarks in the browser report, each with the most it may be.
const browserGoals = {
  "longtask-ms": 50, // main-thread task
  "shown-ms": 100, // from sending a delta to seeing it
  "usable-ms": 1000, // page to usable, warm cache
  "renderer-MB": 120, // page and worker together
};

// ours runs the benchmarks of the packages in Node and returns microseconds by
// name: of an event where the benchmark says so (us/event), else of a round.
function ours() {
  const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const names = figures.map((f) => f.bench).join("|");
  const out = execFileSync("go", ["test", "-exec", goroot + "/lib/wasm/go_js_wasm_exec", "-run", "^$",
    "-bench", "^(" + names + ")$", "-benchtime", "2s", ...new Set(figures.map((f) => f.pkg))],
  { encoding: "utf8", env: { ...process.env, GOOS: "js", GOARCH: "wasm" }, stdio: ["ignore", "pipe", "inherit"] });
  const found = {};
  for (const line of out.split("\n")) {
    const name = line.match(/^(Benchmark\w+?)(-\d+)?\s/)?.[1];
    if (!name) continue;
    const event = line.match(/([\d.]+) us\/event/);
    const round = line.match(/([\d.]+) ns\/op/);
    found[name] = event ? Number(event[1]) : Number(round[1]) / 1000;
  }
  return found;
}

function row(...cells) {
  console.log(cells.map((cell, i) => i === 0 ? cell.padEnd(32) : String(cell).padStart(14)).join(""));
}

const mine = ours();
const peers = await measure();
row("microseconds", "Parley", "peer", "times", "goal", "");
for (const f of figures) {
  for (const [peer, goal] of Object.entries(f.goals)) {
    const us = mine[f.bench];
    if (us === undefined) throw new Error(`${f.pkg} has no ${f.bench}`);
    const them = peers[peer][f.peer];
    row(f.name, us.toFixed(1), them.toFixed(1), (them / us).toFixed(1), goal ?? "-", peer);
  }
}

const dist = "server/files/dist/";
const index = JSON.parse(readFileSync(dist + "index.json", "utf8"));
const wasm = index.assets.find((a) => a.name === "app.wasm");
console.log();
row("bytes", "Parley", "", "", "goal");
row("app.wasm", wasm.size, "", "", "-");
row("app.wasm, brotli 11", statSync(dist + wasm.path + ".br").size, "", "", "< " + MAX_WASM);

console.log();
row("in the browser", "Parley", "", "", "goal");
const out = execFileSync("go", ["test", "./app/e2e", "-run", "^$", "-bench", "."], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
for (const line of out.split("\n")) {
  const name = line.match(/^Benchmark(\w+?)(-\d+)?\s/)?.[1];
  if (!name) continue;
  for (const [, value, unit] of line.matchAll(/([\d.]+) (\S+)/g)) {
    if (unit === "ns/op") continue;
    const goal = browserGoals[unit];
    row(name + ", " + unit, value, "", "", goal ? "< " + goal : "-");
  }
}
