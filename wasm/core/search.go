package core

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/wasm/port"
	"parley/wasm/run"
)

const (
	// MinSearch and MaxHits bound a search: its shortest words in code points,
	// and its most results.
	MinSearch = 2
	MaxHits   = 50
	hitAround = 60 // bytes on each side of a find
)

// searchRuns looks for words in the prompts and answers that are here.
func (c *Core) searchRuns(_ context.Context, p port.Search) (port.SearchResults, error) {
	words := strings.ToLower(strings.TrimSpace(p.Text))
	if utf8.RuneCountInString(words) < MinSearch {
		return port.SearchResults{}, invalid("Search for at least %d letters.", MinSearch)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	results := port.SearchResults{Hits: []port.Hit{}}
	for id, card := range c.sessions.runs {
		view := card.run.View(run.At{})
		for _, text := range []string{view.Question, view.Text} {
			at := strings.Index(strings.ToLower(text), words)
			if at < 0 || at > len(text) {
				continue
			}
			results.Hits = append(results.Hits, port.Hit{
				Agent: card.agent, Session: view.Session, ID: id, At: view.Started, Text: around(text, at, len(words)),
			})
			break
		}
	}
	slices.SortFunc(results.Hits, func(a, b port.Hit) int { return int(b.At - a.At) })
	results.Hits = results.Hits[:min(len(results.Hits), MaxHits)]
	return results, nil
}

// around cuts the words around a find, on whole code points.
func around(text string, at, length int) string {
	from, to := max(0, at-hitAround), min(len(text), at+length+hitAround)
	return oneLine(strings.ToValidUTF8(text[from:to], ""))
}
