package scripted

import (
	"maps"
	"slices"
	"strings"

	"parley/wasm/run"
)

// failures are the codes of the protocol with the words this brain has for each.
var failures = map[run.Code]string{
	run.UnsupportedEncryption:    "As asked: this encryption is not supported.",
	run.UnsupportedModel:         "As asked: this model is not offered here.",
	run.UnsupportedSchemaVersion: "As asked: this tool schema version is not spoken here.",
	run.Cancelled:                "As asked: the run was cancelled.",
	run.RateLimit:                "As asked: too many prompts; wait a little.",
	run.Unauthorized:             "As asked: you may not ask this agent.",
	run.BlockedSender:            "As asked: this agent does not talk to you.",
	run.ModelUnavailable:         "As asked: the model cannot be reached now.",
	run.SessionLimit:             "As asked: this session is full; begin a new one.",
	run.ParseError:               "As asked: the prompt cannot be read.",
	run.EmptyResponse:            "As asked: there was no answer.",
	run.ToolError:                "As asked: a tool failed.",
	run.InvalidSchema:            "As asked: the prompt has a wrong shape.",
	run.UnsupportedFeature:       "As asked: this cannot be done here.",
	run.InvalidSequence:          "As asked: pieces of the answer do not fit together.",
	run.InternalError:            "As asked: something unexpected went wrong.",
}

func errorsText() string {
	var b strings.Builder
	b.WriteString("Say **error** and one of these, and a number of seconds if you like:\n\n")
	for _, code := range slices.Sorted(maps.Keys(failures)) {
		b.WriteString("- `" + string(code) + "`\n")
	}
	return b.String()
}

const markdownText = "# What text can look like\n\n" +
	"Plain words, **strong ones**, *soft ones*, `code` and ~~what no longer holds~~. A [link](https://github.com/nostr-protocol/nips).\n\n" +
	"## A list\n\n" +
	"1. First this\n2. Then that\n   - with a detail\n   - and another one\n3. And an end\n\n" +
	"- [x] done\n- [ ] not yet\n\n" +
	"## A table\n\n" +
	"| Kind | Name | Kept |\n| ---: | :--- | :---: |\n| 25800 | status | no |\n| 25801 | delta | no |\n| 25802 | prompt | yes |\n| 25803 | response | yes |\n\n" +
	"## Code\n\n" +
	"```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := range 3 {\n\t\tfmt.Println(\"hello\", i)\n\t}\n}\n```\n\n" +
	"> What is quoted stands apart.\n>\n> Also over two paragraphs.\n\n" +
	"---\n\n" +
	"Text from right to left: שלום. Signs: < > & \" '. And <b>tags</b> that are only text.\n"
