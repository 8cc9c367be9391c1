package core

import (
	"context"
	"fmt"
	"syscall/js"

	"parley/wasm/internal/jsx"
)

// fetchHTTP is a Fetcher over the browser's own fetch: net/http would bring
// its whole transport into the binary, which the browser has already.
func fetchHTTP(ctx context.Context, r Request) (Response, error) {
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	header := js.Global().Get("Object").New()
	for name, value := range r.Header {
		header.Set(name, value)
	}
	options := js.Global().Get("Object").New()
	options.Set("method", r.Method)
	options.Set("headers", header)
	options.Set("signal", abort.Get("signal"))
	options.Set("credentials", "omit")
	if r.Body != nil {
		options.Set("body", bytesToJS(r.Body))
	}
	answer, err := jsx.Await(ctx, js.Global().Call("fetch", r.URL, options))
	if err != nil {
		return Response{}, fmt.Errorf("ask %s: %w", r.URL, err)
	}
	buffer, err := jsx.Await(ctx, answer.Call("arrayBuffer"))
	if err != nil {
		return Response{}, fmt.Errorf("read the answer of %s: %w", r.URL, err)
	}
	array := js.Global().Get("Uint8Array").New(buffer)
	body := make([]byte, min(array.Length(), MaxAnswer))
	js.CopyBytesToGo(body, array)
	return Response{Status: answer.Get("status").Int(), Body: body}, nil
}

func bytesToJS(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}
