// The work of wasm/verify and wasm/nip44, done by the libraries that a browser
// client would take instead. measure returns microseconds for each figure.
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent } from "nostr-tools/pure";
import * as nip44 from "nostr-tools/nip44";
import { initNostrWasm } from "nostr-wasm";

const RUN_FOR = 2000; // ms for each figure, after warming up
const WARM_UP = 300; // ms
const AUTHORS = 10;
const EVENTS = 256;

// time returns microseconds for each of the `each` things that work() does.
function time(each, work) {
  for (const end = performance.now() + WARM_UP; performance.now() < end;) work();
  const begin = performance.now();
  let rounds = 0;
  while (performance.now() - begin < RUN_FOR) {
    work();
    rounds++;
  }
  return (performance.now() - begin) * 1000 / (rounds * each);
}

// history returns EVENT frames, as a relay sends them for a room.
function history() {
  const keys = Array.from({ length: AUTHORS }, generateSecretKey);
  return Array.from({ length: EVENTS }, (_, i) => JSON.stringify(["EVENT", "room", finalizeEvent({
    kind: 9,
    created_at: 1_700_000_000 + i,
    tags: [["h", "lobby"]],
    content: "A message of ordinary length, as people write them in a room with others.",
  }, keys[i % AUTHORS])]));
}

export async function measure() {
  const frames = history();
  const wasm = await initNostrWasm();
  const some = frames.slice(0, 16); // nostr-tools takes its time
  const secret = generateSecretKey();
  const peer = getPublicKey(generateSecretKey());
  const key = nip44.v2.utils.getConversationKey(secret, peer);
  const short = nip44.v2.encrypt("x".repeat(200), key);
  const long = nip44.v2.encrypt("x".repeat(32_000), key);
  const check = (good) => {
    if (good === false) throw new Error("a good signature was refused");
  };
  return {
    "nostr-tools": {
      history: time(some.length, () => some.forEach((f) => check(verifyEvent(JSON.parse(f)[2])))),
      conversation: time(1, () => nip44.v2.utils.getConversationKey(secret, peer)),
      decrypt200: time(1, () => nip44.v2.decrypt(short, key)),
      decrypt32k: time(1, () => nip44.v2.decrypt(long, key)),
    },
    "nostr-wasm": {
      history: time(frames.length, () => frames.forEach((f) => check(wasm.verifyEvent(JSON.parse(f)[2])))),
    },
  };
}
