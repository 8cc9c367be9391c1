package lean

// Cuts are what app.wasm is built without, in kB after compression.
var Cuts = []Cut{
	{
		// All that connects, signs and logs, 650 kB: of go-nostr the browser uses the
		// types of events and filters, as a test over the imports holds. With keys
		// and signatures goes the curve and its table, with the rest net/http and
		// three parsers of JSON.
		Module: "github.com/nbd-wtf/go-nostr", Folder: ".",
		Files: []string{
			"event.go", "event_easyjson.go", "filter.go", "filter_easyjson.go",
			"helpers.go", "kinds.go", "tags.go", "timestamp.go",
		},
		Names: []string{"json", "Filters.String", "Tags.Scan", "Tag.Relay"},
	},
	{
		// The one function with net/http of what go-nostr writes events with.
		Module: "github.com/mailru/easyjson", Folder: ".",
		Files: []string{"helpers.go", "raw.go", "unknown_fields.go"},
		Names: []string{"MarshalToHTTPResponseWriter"},
	},
	{
		// go-app's server, 130 kB: ours serves the files, and net/http brings TLS.
		Module: "github.com/maxence-charriere/go-app/v10", Folder: "pkg/app",
		Files: []string{"http.go", "static.go", "wasm.go"}, Without: true,
		Names: []string{
			"LocalDir", "localResourceResolver", "localResourceResolver.Resolve",
			"PrefixedLocation", "prefixedResourceResolver", "prefixedResourceResolver.Resolve", "GitHubPages",
		},
	},
}
