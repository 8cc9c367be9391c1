//go:build !js

package core

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/server/relay/blossom"
	"parley/wasm/port"
	"parley/wasm/room"
)

// fetchNative is a Fetcher outside of a browser.
func fetchNative(ctx context.Context, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, err
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Response{Status: resp.StatusCode, Body: body}, err
}

// TestAFileIsHandedToTheSitesServer: the token is one that a Blossom server
// takes, for this file at this server.
func TestAFileIsHandedToTheSitesServer(t *testing.T) {
	takes := true
	var handler http.Handler
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer web.Close()
	files, err := blossom.Open(blossom.Config{Dir: t.TempDir(), URL: web.URL, MayUpload: func(string) bool { return takes }, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	handler = files
	p := open(t, setup{upload: web.URL + "/upload", fetch: fetchNative})
	p.signUp()
	data := []byte("day,visitors\n")
	var f room.File
	if err := json.Unmarshal(p.must(port.Upload, port.UploadParams{Name: "visitors.csv", Type: "text/csv", Data: data}), &f); err != nil {
		t.Fatal(err)
	}
	if f.Name != "visitors.csv" || f.Type != "text/csv" || f.Size != int64(len(data)) || f.URL != web.URL+"/"+f.SHA256+".csv" {
		t.Errorf("got %+v", f)
	}
	if got, err := fetchNative(t.Context(), Request{Method: methodGet, URL: f.URL}); err != nil || !bytes.Equal(got.Body, data) {
		t.Errorf("%d %v: %s", got.Status, err, got.Body)
	}
	takes = false
	if _, err := p.call(port.Upload, port.UploadParams{Name: "more.txt", Type: "text/plain", Data: []byte("more")}); err == nil || !strings.Contains(err.Error(), "members") {
		t.Errorf("refused: %v", err)
	}
	for name, data := range map[string][]byte{"empty": nil, "large": make([]byte, MaxUpload+1)} {
		if _, err := p.call(port.Upload, port.UploadParams{Name: name, Type: "text/plain", Data: data}); err == nil || !strings.Contains(err.Error(), "This file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
