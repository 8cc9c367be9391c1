// Package e2e tests the whole product as people meet it: the real server
// binary, its embedded relay, and headless Chromium. Run `make test`, which
// builds bin/parley first.
package e2e
