package task

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// maxDetail is the most bytes of content that are looked at as the JSON
// dialect; its own limit is 128 KiB. Longer content is text.
const maxDetail = 128 << 10

// readContent reads the content of any task event: plain text, or a JSON
// object with a schema number, as Buzz rooms write them; then the text is its
// summary, or for want of one its reason, and all of it stands in the detail.
func readContent(content string) (string, *Detail) {
	trimmed := strings.TrimSpace(content)
	if len(trimmed) == 0 || trimmed[0] != '{' || len(content) > maxDetail {
		return content, nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(trimmed), &fields) != nil {
		return content, nil
	}
	d := &Detail{}
	if raw, ok := fields["schema"]; !ok || json.Unmarshal(raw, &d.Schema) != nil || d.Schema < 1 {
		return content, nil
	}
	d.Summary = text(fields["summary"])
	d.State = text(fields["state"])
	d.Reason = text(fields["reason"])
	d.Code = text(fields["code"])
	var exit *int
	if json.Unmarshal(fields["exit_code"], &exit) == nil {
		d.ExitCode = exit
	}
	d.Artifacts = artifacts(fields["artifacts"])
	return cmp.Or(d.Summary, d.Reason), d
}

// text reads a string, or a number as it is written; anything else is "".
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// artifacts reads a list of strings or of objects with a name and a uri.
func artifacts(raw json.RawMessage) []Artifact {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []Artifact
	for _, item := range list {
		var a Artifact
		if name := text(item); name != "" {
			a.Name = name
		} else if json.Unmarshal(item, &a) != nil {
			continue
		}
		if a != (Artifact{}) {
			out = append(out, a)
		}
	}
	return out
}

// firstLine is the first line of s that is not blank.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// readProgress reads a 43003: the newest line of the assistant's text, then
// the newest tool line. With one line there is no telling which it is; it
// counts as the assistant's.
func readProgress(ev *nostr.Event) Progress {
	p := Progress{ID: ev.ID, At: int64(ev.CreatedAt)}
	p.Text, p.Detail = readContent(ev.Content)
	assistant, tool, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
	p.Assistant, p.Tool = strings.TrimSpace(assistant), strings.TrimSpace(tool)
	return p
}

// postedPrefix begins the line of a result that names the posted files.
const postedPrefix = "Posted "

// readResult reads a 43004. Of the e tags that are neither the request, nor
// marked, nor the thread's root, the first names the message with the full
// text and each further one a file message.
func (r *Request) readResult(ev *nostr.Event) Result {
	res := Result{ID: ev.ID, At: int64(ev.CreatedAt)}
	res.Text, res.Detail = readContent(ev.Content)
	res.Line = firstLine(res.Text)
	seen := map[string]bool{r.Event.ID: true, r.Root: true, "": true}
	for _, t := range ev.Tags {
		if isUnmarked(t) && !seen[t[1]] {
			seen[t[1]] = true
			res.Files = append(res.Files, File{ID: t[1]})
		}
	}
	// A turn that posted files and no text has no message to open: its only
	// line is that on the files, with a name for every tag.
	names := posted(res.Line)
	if len(names) == 0 || len(names) != len(res.Files) {
		names = posted(strings.Replace(res.Text, res.Line, "", 1))
		if len(res.Files) > 0 {
			res.Full, res.Files = res.Files[0].ID, res.Files[1:]
		}
	}
	if len(names) == len(res.Files) {
		for i := range names {
			res.Files[i].Name = names[i]
		}
	}
	if len(res.Files) == 0 {
		res.Files = nil
	}
	return res
}

// posted reads the names on the last "Posted name, name" line of a text.
func posted(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), postedPrefix); ok {
			names = strings.Split(list, ", ")
		}
	}
	return names
}

// The texts of a 43006 that are no failure.
const (
	textCancelled   = "Cancelled"
	textCancelledBy = "Cancelled by "
	textMergedInto  = "Merged into task "
)

// end is how a 43006 ended a task.
type end struct {
	state  State  // Failed or Cancelled
	by     string // public key of who cancelled, when it says so
	merged string // the id of the task it was merged into, as written
}

// readError reads how a 43006 ended its task. Only the exact texts are no
// failure, and the dialect's own state "cancelled".
func readError(text string, d *Detail) end {
	text = strings.TrimSpace(text)
	if text == textCancelled || d != nil && d.State == "cancelled" {
		return end{state: Cancelled}
	}
	if key, ok := strings.CutPrefix(text, textCancelledBy); ok && isHex64(strings.ToLower(key)) {
		return end{state: Cancelled, by: strings.ToLower(key)}
	}
	if id, ok := strings.CutPrefix(text, textMergedInto); ok && id != "" && !strings.ContainsAny(id, " \t\r\n") {
		return end{state: Cancelled, merged: id}
	}
	return end{state: Failed}
}
