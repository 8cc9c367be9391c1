// Runs test.wasm here, or in a worker that loads this same file, and answers
// with its exit code and everything it wrote.
async function runTests(args, env) {
  const decoder = new TextDecoder();
  let output = "";
  let code = -1;
  globalThis.fs.writeSync = (_, bytes) => {
    output += decoder.decode(bytes, { stream: true });
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
    output += "\n" + e;
  }
  return { code, output };
}

function startTests(args, env, inPage) {
  if (inPage) return runTests(args, env);
  return new Promise((resolve) => {
    const worker = new Worker("/run.js");
    worker.onmessage = (e) => resolve(e.data);
    worker.onerror = (e) => resolve({ code: -1, output: e.message });
    worker.postMessage({ args, env });
  });
}

if (typeof document === "undefined") {
  importScripts("/wasm_exec.js");
  self.onmessage = async (e) => self.postMessage(await runTests(e.data.args, e.data.env));
}
