// Package app is Parley's user interface: routes, pages, navigation and what
// the page remembers. It speaks to the core through wasm/port only, and draws
// with components.
package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
)

// Main runs the user interface in a page until the page is left. It returns at
// once outside a browser.
func Main() {
	_, components.Base = bootInfo()
	// One component draws every route, so that going somewhere keeps what is
	// on the page. ParseRoute has the list of routes.
	ui.RouteWithRegexp(".*", func() ui.Composer { return &shell{} })
	ui.RunWhenOnBrowser()
}
