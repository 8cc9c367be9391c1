// Package idb is the browser's IndexedDB as typed Go: open a database, run a
// transaction, read the results. It holds every syscall/js call that storage
// needs. A transaction's requests are all made before it is waited for, so
// none depends on the answer of another: a transaction ends by itself once
// the event loop finds it idle, and a Go program cannot promise not to be.
package idb
