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
		// What go-nostr writes events with: the functions with net/http and net.
		Module: "github.com/mailru/easyjson", Folder: ".", Without: true,
		Names: []string{"MarshalToHTTPResponseWriter", "MarshalToWriter"},
	},
	{Module: "github.com/mailru/easyjson", Folder: "jwriter", Without: true, Names: []string{"Writer.DumpTo"}},
	{Module: "github.com/mailru/easyjson", Folder: "buffer", Without: true, Names: []string{"Buffer.DumpTo"}},
	{
		// go-app's server, 130 kB: ours serves the files, and net/http brings TLS.
		Module: "github.com/maxence-charriere/go-app/v10", Folder: "pkg/app",
		Files: []string{"http.go", "static.go", "wasm.go"}, Without: true,
		Names: []string{"LocalDir", "localResourceResolver", "PrefixedLocation", "prefixedResourceResolver", "GitHubPages"},
	},
	{
		// go-app names things by random ids; the other kinds bring MD5, SHA-1 and SQL.
		Module: "github.com/google/uuid", Folder: ".",
		Files: []string{"hash.go", "marshal.go", "util.go", "uuid.go", "version4.go"},
		Names: []string{"NameSpaceDNS", "NameSpaceURL", "NameSpaceOID", "NameSpaceX500", "NewHash", "NewMD5", "NewSHA1"},
	},
	{
		// Markdown becomes nodes of go-app, so nothing that writes HTML is used.
		Module: "github.com/yuin/goldmark", Folder: "extension",
		Files: []string{"strikethrough.go", "table.go", "tasklist.go"},
		Names: []string{
			"StrikethroughHTMLRenderer", "NewStrikethroughHTMLRenderer", "StrikethroughAttributeFilter", "strikethrough", "Strikethrough",
			"TaskCheckBoxHTMLRenderer", "NewTaskCheckBoxHTMLRenderer", "taskList", "TaskList",
			"TableHTMLRenderer", "NewTableHTMLRenderer", "TableAttributeFilter", "TableHeaderAttributeFilter", "TableRowAttributeFilter",
			"TableThCellAttributeFilter", "TableTdCellAttributeFilter",
			"table", "Table", "NewTable", "TableConfig", "NewTableConfig", "TableOption",
			"withTableHTMLOptions", "WithTableHTMLOptions", "optTableCellAlignMethod", "withTableCellAlignMethod", "WithTableCellAlignMethod",
		},
	},
}
