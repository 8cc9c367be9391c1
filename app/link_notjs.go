//go:build !js

package app

// joinBrowser has no browser to join: the link stays as it is.
func joinBrowser(*Tabs, *Link, func(func())) {}

// bootInfo knows nothing outside a browser.
func bootInfo() (build, base string) { return "", "" }

// restartCore has no core to restart.
func restartCore() {}
