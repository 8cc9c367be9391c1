// Boots Parley in the page: compiles app.wasm once, runs it here as the user
// interface, and hands the same compiled module to a worker, which runs it as
// the core. A core that dies is replaced.
//
// What the Go code finds as the global `parley`, in the page:
//
//   parley.build            the build id, the same in page and worker (also `parleyBuild`)
//   parley.base             the path the app lives under: "/" or "/parley/"
//   parley.start()          starts a core in this tab, unless one runs
//   parley.stop()           ends it, and forgets what was on its way in either direction
//   parley.send(text)       one envelope of wasm/port to the core; kept while a core starts,
//                           dropped when there is to be none
//   parley.onmessage(f)     f(text) for each envelope from the core; one listener, those
//                           that came before it are delivered at once
//   parley.onrestart(f)     f(why) when a core has died and a new one starts: what was
//                           sent before this call may be lost, what is sent after reaches
//                           the new core, in order
//   parley.onfatal(f)       f(why) when cores die too quickly, one after the other; nothing
//                           is sent until parley.restart()
//   parley.restart(why)     ends the core, if one runs, and starts a new one; does nothing
//                           before parley.start()
//
// The worker has `parleyBuild` and `parley` with build, base, send and
// onmessage: see worker.js. go-app finds `goappGetenv`.
"use strict";

(() => {
  const MAX_QUICK_DEATHS = 5; // in a row; then we stop and say so
  const QUICK_DEATH = 10_000; // ms of life that make a death a quick one
  const FIRST_PAUSE = 250; // ms before the second try; doubled with each further one

  const HAD = "parley.wasm"; // key in localStorage: the URL of the app.wasm last run here

  const page = document.currentScript.dataset;
  let module; // app.wasm, compiled
  let wanted = false; // there is to be a core in this tab
  let gaveUp = false; // but it keeps dying
  let core = null; // the worker in charge, or null while none runs
  let born = 0; // when it was started
  let deaths = 0; // quick ones, in a row
  let unsent = []; // texts for the core that is about to start
  let unheard = []; // texts from the core, until there is a listener
  let onmessage, onrestart, onfatal;

  window.parleyBuild = page.build;
  window.parley = {
    build: page.build,
    base: page.base,
    start() {
      if (wanted) return;
      wanted = true;
      gaveUp = false;
      deaths = 0;
      spawn();
    },
    stop() {
      wanted = false;
      core?.terminate();
      core = null;
      unsent = [];
      unheard = [];
    },
    send(text) {
      if (core) core.postMessage(text);
      else if (wanted && !gaveUp) unsent.push(text);
    },
    onmessage(f) {
      onmessage = f;
      for (const text of unheard.splice(0)) f(text);
    },
    onrestart(f) { onrestart = f; },
    onfatal(f) { onfatal = f; },
    restart(why) {
      if (core) return died(core, why || "It was asked to start again.");
      if (!wanted || !gaveUp) return; // one is about to start, or none is wanted
      gaveUp = false;
      deaths = 0;
      spawn();
      onrestart?.(why || "");
    },
  };

  // go-app asks for these: the prefix it takes off a path before it looks for a
  // route, and the URLs of this origin that are not the app's.
  const served = ["config.json", "embed/", "embed.js", "oembed", "og/", "relay", "upload", "assets/"];
  const env = {
    GOAPP_ROOT_PREFIX: page.base.replace(/\/$/, ""),
    GOAPP_INTERNAL_URLS: JSON.stringify(served.map((path) => location.origin + page.base + path)),
  };
  window.goappGetenv = (key) => env[key];

  function spawn() {
    if (!wanted || core) return;
    const worker = core = new Worker(page.worker);
    born = performance.now();
    worker.onmessage = ({ data }) => {
      if (worker !== core) return;
      if (typeof data !== "string") return died(worker, data.died);
      if (onmessage) onmessage(data);
      else unheard.push(data);
    };
    worker.onerror = (event) => died(worker, event.message || "Its script could not be loaded.");
    worker.postMessage({ module, exec: page.exec, build: page.build, base: page.base });
    for (const text of unsent.splice(0)) worker.postMessage(text);
  }

  function died(worker, why) {
    if (worker !== core) return;
    worker.terminate();
    core = null;
    unheard = [];
    deaths = performance.now() - born < QUICK_DEATH ? deaths + 1 : 1;
    if (deaths >= MAX_QUICK_DEATHS) {
      gaveUp = true;
      console.error("parley: the core died " + deaths + " times in a row:", why);
      onfatal?.(why);
      return;
    }
    console.warn("parley: the core died and is replaced:", why);
    setTimeout(spawn, deaths > 1 ? FIRST_PAUSE * 2 ** (deaths - 2) : 0);
    onrestart?.(why);
  }

  // compile fetches and compiles app.wasm. A host that serves it under another
  // MIME type cannot stream it, and gets the slower way.
  async function compile() {
    const response = await fetch(page.wasm);
    if (!response.ok) throw new Error("the server answered " + response.status);
    // Watching takes a copy of all that comes, and from a cache it comes at once.
    if (remembered() !== page.wasm) showProgress(response.clone());
    const type = response.headers.get("Content-Type") || "";
    if (WebAssembly.compileStreaming && type.startsWith("application/wasm")) {
      return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }

  // remembered is the app.wasm that this browser has had before, and so has in its
  // cache, most likely.
  function remembered() {
    try { return localStorage.getItem(HAD); } catch { return ""; } // storage may be forbidden
  }

  function remember() {
    try { localStorage.setItem(HAD, page.wasm); } catch { /* then there is progress to see */ }
  }

  // showProgress fills the skeleton's <progress>. The total is the size before
  // compression, since that is what a body is read as.
  async function showProgress(response) {
    const bar = document.getElementById("boot-progress");
    if (!bar || !response.body) return;
    bar.hidden = false;
    const reader = response.body.getReader();
    for (let got = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      got += value.byteLength;
      bar.value = Math.min(1, got / page.size);
    }
  }

  // trouble says, in place of the app, what is wrong and what to do. It stands
  // beside the app's own root, so it can be seen whatever became of that.
  function trouble(what, why) {
    const box = document.getElementById("boot-trouble");
    box.querySelector("p").textContent = what;
    box.querySelector("small").textContent = why || "";
    box.querySelector("button").onclick = () => location.reload();
    box.hidden = false;
  }

  async function boot() {
    if (typeof WebAssembly !== "object") {
      return trouble("This browser has no WebAssembly, which Parley runs on. Any current browser will do; some turn it off in a strict mode.");
    }
    if (typeof Worker !== "function") {
      return trouble("This browser has no web workers, which Parley runs on. Any current browser will do.");
    }
    let instance;
    const go = new Go();
    try {
      module = await compile();
      instance = await WebAssembly.instantiate(module, go.importObject);
      remember();
    } catch (error) {
      return trouble("Parley could not be loaded. Check the connection, then reload.", String(error.message || error));
    }
    let why = "";
    await go.run(instance).catch((error) => { why = String(error); });
    parley.stop();
    trouble("Parley stopped because of a fault of its own. Reload to go on; what you have sent is kept.", why);
  }

  boot();
})();
