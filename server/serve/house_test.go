package serve_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/serve"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
)

// TestAPromptToTheHouseAgentIsAnswered: also where the public address is not the
// one that the agent itself connects to.
func TestAPromptToTheHouseAgentIsAnswered(t *testing.T) {
	for _, public := range []string{"", "https://chat.example.org"} {
		m := start(t, func(c *serve.Config) { house(c); c.URL = public })
		local := "ws://" + m.Addr().String() + "/relay"
		url := local
		if public != "" {
			url = "wss://chat.example.org/relay"
		}
		code, err := room.DecodeCode(config(t, "http://"+m.Addr().String(), nil).Agents[0])
		if err != nil {
			t.Fatal(err)
		}
		var secret [32]byte
		rand.Read(secret[:])
		me, err := run.LocalKeys(secret, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		pool := relay.NewPool(relay.Options{
			Policy: func(string) relay.AuthPolicy { return relay.AuthAlways },
			Auth: func(_ context.Context, relayURL, challenge string) (*nostr.Event, error) {
				ev := &nostr.Event{Kind: 22242, CreatedAt: nostr.Now(), Tags: nostr.Tags{{"relay", relayURL}, {"challenge", challenge}}}
				return ev, me.Sign(ev)
			},
			Dial: func(ctx context.Context, _ string) (relay.Conn, error) { return relay.Dial(ctx, local) },
		})
		t.Cleanup(pool.Close)
		d, err := run.NewPrompt(run.Question{Client: me.PubKey, Message: "6 * 7"}, run.DefaultInfo(code.PubKey), time.Now().Unix())
		if err != nil {
			t.Fatal(err)
		}
		content, err := me.Encrypt(d.To, d.Plain)
		if err != nil {
			t.Fatal(err)
		}
		prompt := d.Event(me.PubKey, content)
		if err := me.Sign(&prompt); err != nil {
			t.Fatal(err)
		}
		if err := pool.Subscribe(url, relay.Subscription{Name: "run", Filters: relay.Fixed(run.FilterRun(prompt.ID, me.PubKey, code.PubKey))}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if got, err := pool.Publish(ctx, url, &prompt); err != nil || !got.OK {
			t.Fatal(got, err)
		}
		for answered := false; !answered; {
			batch, err := pool.Next(ctx)
			if err != nil {
				t.Fatalf("no answer at %q: %v", public, err)
			}
			for _, in := range batch {
				answered = answered || in.Kind == relay.GotEvent && in.Event.Kind == run.KindResponse
			}
		}
	}
}
