// Package run is the protocol of AI sessions: prompts to an agent, the streamed
// and final answers, tool telemetry, cancellation, agent info and wrapping
// (draft NIP "AI Agent Messages", kinds 25800-25806 and 31340).
//
// It is pure: no clock, no goroutine, no network, no storage. Times come in as
// Unix seconds (milliseconds in Gather and Writer), randomness as bytes, signatures
// and encryption as functions. Events must have been verified before they come
// here.
//
// Reading: ParseHead checks the tags of an event, Parse its decrypted payload,
// Run folds the events of one prompt into a View and tells readers by patches
// what became of its texts; Sessions groups prompts; ParseLoose reads responses
// that belong to no run; Unwrap opens gift wraps; DecryptQueue orders what an
// outside signer is asked for.
// Writing, as a client: NewPrompt, NewCancel, the filters. Writing, as an
// agent: Policy.Admit, Refuse and Writer. Either side: Wrap.
//
// Every fold gives the same view for the same set of (event, seen), in any
// order and with any repeats.
package run
