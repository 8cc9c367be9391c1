// Runs app.wasm as the core. The first message is from boot.js and holds the
// compiled module; every later one is an envelope of wasm/port as text.
//
// What the Go code finds as the global `parley`, in the worker:
//
//   parley.build, parley.base   as in the page (also `parleyBuild`)
//   parley.send(text)           one envelope to the page
//   parley.onmessage(f)         f(text) for each envelope from the page; those that came
//                               before are delivered at once
//
// When the program ends, the page is told why and replaces this worker.
"use strict";

const unheard = []; // texts that came before the core listens
let listener;
let lastWords = ""; // the first line of a panic

self.onmessage = ({ data }) => {
  if (typeof data !== "string") run(data);
  else if (listener) listener(data);
  else unheard.push(data);
};

async function run({ module, exec, build, base }) {
  let code = 0;
  try {
    importScripts(exec);
    keepLastWords();
    self.parleyBuild = build;
    self.parley = {
      build,
      base,
      send: (text) => self.postMessage(text),
      onmessage(f) {
        listener = f;
        for (const text of unheard.splice(0)) f(text);
      },
    };
    const go = new Go();
    go.exit = (c) => { code = c; };
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (error) {
    lastWords ||= String(error);
  }
  listener = () => {}; // a program that has ended cannot be called
  self.postMessage({ died: lastWords || "It ended with code " + code + "." });
}

// keepLastWords listens in on what Go writes to its standard error, which is
// where a panic says what happened. It comes in pieces.
function keepLastWords() {
  const write = self.fs.writeSync;
  const decoder = new TextDecoder();
  let line = "";
  self.fs.writeSync = function (fd, bytes) {
    if (fd === 2 && !lastWords) {
      const lines = (line + decoder.decode(bytes)).split("\n");
      line = lines.pop();
      lastWords = lines.find((l) => /^(panic|fatal error):/.test(l)) || "";
    }
    return write.call(this, fd, bytes);
  };
}
