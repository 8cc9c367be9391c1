package signer

import (
	"context"
	consttime "crypto/subtle" // subtle is the browser's, in this package
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/verify"
)

// answersName names our one subscription at each relay.
const answersName = "answers"

// MaxLink is the longest address that a signer may have the person open.
const MaxLink = 2048

// signerRelay is one relay of the signer. A request is sent where we listen
// already: relays do not keep what the signer answers.
type signerRelay struct {
	live    bool
	ended   bool   // it has ended our subscription for good
	trouble string // why it is not, in words
}

// setRelays speaks to the signer on these relays and no others. mu is held.
func (r *Remote) setRelays(urls []string) {
	for _, old := range r.urls {
		if !slices.Contains(urls, old) {
			delete(r.relays, old)
			r.pool.Drop(old)
		}
	}
	r.urls = urls
	for _, at := range urls {
		if r.relays[at] == nil {
			r.relays[at] = &signerRelay{}
			r.subscribe(at)
		}
	}
}

// subscribe listens for the signer's answers, or for whoever takes an
// invitation. mu is held.
func (r *Remote) subscribe(at string) {
	// A signer's clock may be behind ours.
	since := nostr.Timestamp(r.began - relay.Overlap)
	filter := nostr.Filter{Kinds: []int{KindRemoteCall}, Tags: nostr.TagMap{"p": {r.client.pubkey}}, Since: &since}
	if r.signer != "" {
		filter.Authors = []string{r.signer}
	}
	r.relays[at].ended = false
	if err := r.pool.Subscribe(at, relay.Subscription{Name: answersName, Filters: relay.Fixed(filter)}); err != nil {
		r.relays[at].trouble = err.Error()
	}
}

// listenAgain has relays that wait to reconnect do so at once, and asks those
// once more that did not want our subscription. mu is held.
func (r *Remote) listenAgain() {
	for _, at := range r.urls {
		if r.relays[at].ended {
			r.subscribe(at)
		}
	}
	r.pool.Probe()
}

// listening tells whether an answer could be heard. mu is held.
func (r *Remote) listening() bool {
	for _, at := range r.relays {
		if at.live {
			return true
		}
	}
	return false
}

// unreachable is why no relay of the signer can be spoken to. mu is held.
func (r *Remote) unreachable() error {
	words := "none of its relays could be reached"
	for _, at := range r.urls {
		words = "the relay " + at + " could not be reached"
		if t := r.relays[at].trouble; t != "" {
			words += ": " + cleanWords(t)
			break
		}
	}
	return &fault{ErrAway, "your remote signer cannot be reached: " + words}
}

// listen takes what the relays say until Close.
func (r *Remote) listen() {
	for {
		batch, err := r.pool.Next(r.ctx)
		if err != nil {
			return
		}
		for _, in := range batch {
			switch in.Kind {
			case relay.GotEvent:
				r.take(in.Event)
			case relay.GotEOSE, relay.EOSETimeout:
				r.setLive(in.Relay)
			case relay.GotClosed:
				r.setDead(in.Relay, in.Reason, !in.Retry)
			case relay.GotState:
				if in.State.Phase != relay.Online {
					r.setDead(in.Relay, in.State.Reason, false)
				}
			}
		}
	}
}

// setLive sends at a relay what was not sent there. Where nobody listened at all
// for a time answers may be lost, so what waits is sent anew.
func (r *Remote) setLive(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.relays[url]
	if at == nil || at.live {
		return
	}
	deaf := !r.listening()
	at.live, at.trouble = true, ""
	for _, q := range r.requests {
		if q.waiting == 0 || q.over() {
			continue
		}
		if deaf && len(q.sent) > 0 {
			q.seal()
		}
		r.send(q)
	}
	if r.away != "" {
		poke(r.nudge)
	}
}

func (r *Remote) setDead(url, why string, forGood bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.relays[url]; at != nil {
		at.live, at.ended = false, at.ended || forGood
		if why != "" {
			at.trouble = why
		}
	}
}

// send sends a request to every relay that we listen at and that has not got it.
// mu is held.
func (r *Remote) send(q *request) {
	if r.signer == "" || q.over() {
		return
	}
	for url, at := range r.relays {
		if !at.live {
			continue
		}
		if q.event == nil {
			event, err := r.wrap(q.text)
			if err != nil {
				r.finish(q, "", err)
				return
			}
			q.event = event
		}
		q.sent[url] = true
		event := q.event
		r.spawn(func() { r.publish(q, url, event) })
	}
}

// wrap makes the event of a request (NIP-46, "Request Events").
func (r *Remote) wrap(text string) (*nostr.Event, error) {
	content, err := r.client.Encrypt(r.ctx, text, r.signer)
	if err != nil {
		return nil, fmt.Errorf("ask the remote signer: %w", err)
	}
	e := &nostr.Event{
		Kind: KindRemoteCall, CreatedAt: nostr.Timestamp(time.Now().Unix()),
		Tags: nostr.Tags{{"p", r.signer}}, Content: content,
	}
	if err := r.client.Sign(r.ctx, e); err != nil {
		return nil, fmt.Errorf("ask the remote signer: %w", err)
	}
	return e, nil
}

func (r *Remote) publish(q *request, url string, event *nostr.Event) {
	answer, err := r.pool.Publish(r.ctx, url, event)
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.event != event { // it was sent anew meanwhile
		return
	}
	switch {
	case errors.Is(err, relay.ErrNoAnswer): // it may have arrived
	case err != nil:
		delete(q.sent, url) // sent again once the relay is back
	case answer.OK:
		if q.method == methodConnect && !r.asked {
			r.asked = true
			r.tell()
		}
	default:
		q.refused[url] = answer.Message
		if len(q.refused) >= len(r.relays) {
			r.finish(q, "", &fault{ErrAway, "your remote signer cannot be reached: " + url + " does not pass the request on: " + cleanWords(answer.Message)})
		}
	}
}

// authenticate signs in at the signer's relays, with the client key.
func (r *Remote) authenticate(ctx context.Context, url, challenge string) (*nostr.Event, error) {
	e := &nostr.Event{
		Kind: nostr.KindClientAuthentication, CreatedAt: nostr.Timestamp(time.Now().Unix()),
		Tags: nostr.Tags{{"relay", url}, {"challenge", challenge}},
	}
	return e, r.client.Sign(ctx, e)
}

// take takes an event of a relay. Nothing is decrypted before author, address
// and signature are checked; what does not hold is passed over.
func (r *Remote) take(e *nostr.Event) {
	signer := r.Signer()
	if e.Kind != KindRemoteCall || signer != "" && e.PubKey != signer || e.Tags.FindWithValue("p", r.client.pubkey) == nil {
		return
	}
	if verify.Event(e) != nil {
		return
	}
	text, err := r.client.Decrypt(r.ctx, e.Content, e.PubKey)
	if err != nil {
		return
	}
	a, ok := readAnswer(text)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if signer == "" {
		r.meet(e.PubKey, a)
		return
	}
	if q := r.requests[a.id]; q != nil && !q.over() {
		r.hear()
		r.settle(q, a)
	}
}

// meet makes whoever names the secret of our invitation the signer. mu is held.
func (r *Remote) meet(author string, a answer) {
	if r.signer != "" || r.secret == "" || a.failed || consttime.ConstantTimeCompare([]byte(a.result), []byte(r.secret)) != 1 {
		return
	}
	r.signer, r.asked = author, true
	for _, at := range r.urls {
		r.relays[at].live = false // until it listens to the signer alone
		r.subscribe(at)
	}
	close(r.met)
	r.tell()
}

// settle gives a request its answer, or the person something to sign in at
// first (NIP-46, "Auth Challenges"). mu is held.
func (r *Remote) settle(q *request, a answer) {
	switch {
	case a.result == "auth_url" && a.failed:
		link, ok := safeLink(a.reason)
		if !ok {
			r.finish(q, "", badSigner("your remote signer wants you to open an address that is not https"))
			return
		}
		q.link = link
		r.tell()
	case a.failed:
		r.finish(q, "", refusal(a.reason))
	case a.odd:
		r.finish(q, "", badSigner("your remote signer gave an answer that is no text"))
	default:
		r.finish(q, a.result, nil)
	}
}

// safeLink is an address that may be shown as a link: https, with a host and
// without a user's name.
func safeLink(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || len(text) > MaxLink || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	return u.String(), true
}

// answer is what a signer says (NIP-46, "Response Events").
type answer struct {
	id     string
	result string
	reason string // of a failure, or the address of an auth challenge
	failed bool
	odd    bool // there is a result, and it is no string
}

func readAnswer(text string) (a answer, ok bool) {
	var raw struct {
		ID     string          `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(text), &raw) != nil || raw.ID == "" {
		return a, false
	}
	a.id = raw.ID
	if len(raw.Result) > 0 && string(raw.Result) != "null" {
		a.odd = json.Unmarshal(raw.Result, &a.result) != nil
	}
	if len(raw.Error) > 0 && string(raw.Error) != "null" {
		if json.Unmarshal(raw.Error, &a.reason) != nil {
			a.reason = strings.TrimSpace(string(raw.Error))
		}
		a.failed = a.reason != "" // some signers always write the field
	}
	return a, true
}
