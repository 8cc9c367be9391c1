// What the program has written so far, for when it never ends.
let testOutput = "";

// Runs test.wasm here and answers with its exit code. wrote gets its output.
async function runTests(args, env, wrote) {
  const decoder = new TextDecoder();
  let code = -1;
  globalThis.fs.writeSync = (_, bytes) => {
    wrote(decoder.decode(bytes, { stream: true }));
    return bytes.length;
  };
  try {
    const go = new Go();
    go.argv = args;
    go.env = env;
    go.exit = (c) => { code = c; };
    const { instance } = await WebAssembly.instantiateStreaming(fetch("/test.wasm"), go.importObject);
    await go.run(instance);
  } catch (e) {
    wrote("\n" + e);
  }
  return code;
}

// Runs the tests in the page, or in a worker that loads this same file.
function startTests(args, env, inPage) {
  return new Promise((resolve) => {
    const wrote = (text) => { testOutput += text; };
    const ended = (code) => resolve({ code, output: testOutput });
    if (inPage) {
      runTests(args, env, wrote).then(ended);
      return;
    }
    const worker = new Worker("/run.js");
    worker.onmessage = (e) => ("code" in e.data ? ended(e.data.code) : wrote(e.data.text));
    worker.onerror = (e) => { wrote("\n" + e.message); ended(-1); };
    worker.postMessage({ args, env });
  });
}

if (typeof document === "undefined") {
  importScripts("/wasm_exec.js");
  self.onmessage = async (e) => {
    const code = await runTests(e.data.args, e.data.env, (text) => self.postMessage({ text }));
    self.postMessage({ code });
  };
}
