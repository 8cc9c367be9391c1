package run

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// keysOf gives keys that are the same in every run of the tests.
func keysOf(t testing.TB, name string) Keys {
	t.Helper()
	var secret [32]byte
	if _, err := hex.Decode(secret[:], []byte(hexOf(name))); err != nil {
		t.Fatal(err)
	}
	k, err := LocalKeys(secret, rand.New(rand.NewSource(1)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// rumourOf is a message of the right side between these keys, with its id.
func rumourOf(kind int, client, agent Keys) nostr.Event {
	author, to := agent, client
	if !FromAgent(kind) {
		author, to = client, agent
	}
	root := question
	if kind == KindPrompt {
		root = ""
	}
	return Rumour(newDraft(kind, t0, to.PubKey, root, "session:a", "").Event(author.PubKey, `{"ver":1}`))
}

func TestWrapAndUnwrap(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	for kind := KindStatus; kind <= KindCancel; kind++ {
		author, to := agent, client
		if !FromAgent(kind) {
			author, to = client, agent
		}
		rumour := rumourOf(kind, client, agent)
		wrap, err := Wrap(rumour, to.PubKey, author, once, t0, [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
		if err != nil {
			t.Fatal(err)
		}
		wantKind, span := KindWrapLive, int64(LiveBacklog)
		if kind == KindPrompt || kind == KindResponse || kind == KindError {
			wantKind, span = KindWrap, WrapBacklog
		}
		equal(t, "kind of wrap", wrap.Kind, wantKind)
		equal(t, "author of wrap", wrap.PubKey, once.PubKey)
		tags, _ := json.Marshal(wrap.Tags)
		equal(t, "tags of wrap", string(tags), `[["p","`+to.PubKey+`"]]`)
		if back := t0 - int64(wrap.CreatedAt); back < 0 || back > span {
			t.Errorf("kind %d lies %d s back", kind, back)
		}
		got, err := Unwrap(&wrap, to.PubKey, to.Decrypt)
		if err != nil {
			t.Fatalf("kind %d: %v", kind, err)
		}
		equal(t, "rumour", got.String(), rumour.String())
		if _, err := Unwrap(&wrap, author.PubKey, author.Decrypt); !errors.Is(err, ErrWrap) {
			t.Errorf("opened by another: %v", err)
		}
	}
}

func TestTheClientWrapsItsPromptsToItselfAsWell(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	for _, kind := range []int{KindPrompt, KindCancel} {
		rumour := rumourOf(kind, client, agent)
		wrap, err := Wrap(rumour, client.PubKey, client, once, t0, [16]byte{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Unwrap(&wrap, client.PubKey, client.Decrypt)
		if err != nil || got.ID != rumour.ID {
			t.Errorf("kind %d: %v, %v", kind, got, err)
		}
	}
}

func TestBackdate(t *testing.T) {
	equal(t, "not at all", backdate(t0, WrapBacklog, bytes.Repeat([]byte{0}, 8)), nostr.Timestamp(t0))
	back := []byte{0, 0, 0, 0, 0, 2, 0xa3, 0}
	equal(t, "two days", backdate(t0, WrapBacklog, back), nostr.Timestamp(t0-WrapBacklog))
	back[7]++
	equal(t, "never more", backdate(t0, WrapBacklog, back), nostr.Timestamp(t0))
	equal(t, "never before time began", backdate(5, WrapBacklog, []byte{0, 0, 0, 0, 0, 0, 0, 9}), 0)
}

func TestWrapRefuses(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	rumour := rumourOf(KindPrompt, client, agent)
	if _, err := Wrap(rumour, agent.PubKey, agent, once, t0, [16]byte{}); err == nil {
		t.Error("wrapped another's rumour")
	}
	rumour.Kind = 1
	if _, err := Wrap(rumour, agent.PubKey, client, once, t0, [16]byte{}); err == nil {
		t.Error("wrapped a note")
	}
	refusal := errors.New("no")
	client.Encrypt = func(string, string) (string, error) { return "", refusal }
	if _, err := Wrap(rumourOf(KindPrompt, client, agent), agent.PubKey, client, once, t0, [16]byte{}); !errors.Is(err, refusal) {
		t.Errorf("the signer's refusal is lost: %v", err)
	}
	if _, err := LocalKeys([32]byte{}, rand.New(rand.NewSource(1))); err == nil {
		t.Error("keys of nothing")
	}
	short, err := LocalKeys([32]byte{31: 1}, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	if err := short.Sign(&nostr.Event{}); err == nil {
		t.Error("signed without randomness")
	}
}

// TestUnwrapRules breaks each rule of NIP-59 and of our decisions in turn.
func TestUnwrapRules(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	type parts struct {
		rumour, seal, wrap nostr.Event
		author             Keys
	}
	for _, c := range []struct {
		rule   string
		kind   int
		damage func(*parts)
		ok     bool
	}{
		{"nothing is broken", KindResponse, func(*parts) {}, true},
		{"25801 is read in 1059 too", KindDelta, func(p *parts) { p.wrap.Kind = KindWrap }, true},
		{"25803 is not read in 21059", KindResponse, func(p *parts) { p.wrap.Kind = KindWrapLive }, false},
		{"the wrap is of kind 1059 or 21059", KindDelta, func(p *parts) { p.wrap.Kind = 1060 }, false},
		{"the wrap is addressed to me", KindDelta, func(p *parts) { p.wrap.Tags = nostr.Tags{{"p", stranger}} }, false},
		{"the seal is of kind 13", KindDelta, func(p *parts) { p.seal.Kind = 14 }, false},
		{"tags MUST always be empty in a kind:13", KindDelta, func(p *parts) { p.seal.Tags = nostr.Tags{{"p", stranger}} }, false},
		{"the rumour's author is the seal's", KindDelta, func(p *parts) { p.author = once }, false},
		{"the rumour's id is recomputed", KindDelta, func(p *parts) { p.rumour.ID = hexOf("x") }, false},
		{"the inner event MUST always be unsigned", KindDelta, func(p *parts) { p.rumour.Sig = strings.Repeat("0", 128) }, false},
		{"only AI messages", KindDelta, func(p *parts) { p.rumour.Kind = 1; p.rumour = Rumour(p.rumour) }, false},
		{"no seal within a seal", KindDelta, func(p *parts) { p.rumour.Kind = KindSeal; p.rumour = Rumour(p.rumour) }, false},
		{"the rumour is to me or by me", KindDelta, func(p *parts) { p.rumour.Tags = nostr.Tags{{"p", stranger}}; p.rumour = Rumour(p.rumour) }, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parts{rumour: rumourOf(c.kind, client, agent), author: agent,
				seal: nostr.Event{Kind: KindSeal, CreatedAt: nostr.Timestamp(t0)},
				wrap: nostr.Event{Kind: KindWrapLive, CreatedAt: nostr.Timestamp(t0), Tags: nostr.Tags{{"p", client.PubKey}}}}
			if IsDurable(c.kind) {
				p.wrap.Kind = KindWrap
			}
			c.damage(&p)
			must(t, &p.seal, p.author, client.PubKey, p.rumour.String())
			must(t, &p.wrap, once, client.PubKey, p.seal.String())
			_, err := Unwrap(&p.wrap, client.PubKey, client.Decrypt)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrWrap) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// must encrypts plain into an event and signs it.
func must(t *testing.T, ev *nostr.Event, keys Keys, to, plain string) {
	t.Helper()
	content, err := keys.Encrypt(to, plain)
	if err != nil {
		t.Fatal(err)
	}
	ev.Content = content
	if err := keys.Sign(ev); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsDecryptedBeforeItsSignatureIsChecked(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	wrap, err := Wrap(rumourOf(KindDelta, client, agent), client.PubKey, agent, once, t0, [16]byte{})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	decrypt := func(peer, payload string) (string, error) {
		calls++
		return client.Decrypt(peer, payload)
	}
	bad := wrap
	bad.Sig = strings.Repeat("1", 128)
	if _, err := Unwrap(&bad, client.PubKey, decrypt); !errors.Is(err, ErrWrap) || calls != 0 {
		t.Errorf("err = %v after %d decryptions", err, calls)
	}
	var seal nostr.Event
	plain, err := client.Decrypt(wrap.PubKey, wrap.Content)
	if err != nil || json.Unmarshal([]byte(plain), &seal) != nil {
		t.Fatal(err)
	}
	seal.Sig = bad.Sig
	must(t, &bad, once, client.PubKey, seal.String())
	if _, err := Unwrap(&bad, client.PubKey, decrypt); !errors.Is(err, ErrWrap) || calls != 1 {
		t.Errorf("err = %v after %d decryptions", err, calls)
	}
	refusal := errors.New("no")
	if _, err := Unwrap(&wrap, client.PubKey, func(string, string) (string, error) { return "", refusal }); !errors.Is(err, refusal) || !errors.Is(err, ErrWrap) {
		t.Errorf("err = %v", err)
	}
}

// TestExampleOfNIP59 opens the NIP's own wrap up to its note, which is no AI
// message.
func TestExampleOfNIP59(t *testing.T) {
	raw, err := os.ReadFile("testdata/nip59.json")
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		RecipientSecret string      `json:"recipient_secret"`
		RumourID        string      `json:"rumour_id"`
		Seal            nostr.Event `json:"seal"`
		Wrap            nostr.Event `json:"wrap"`
	}
	if err := json.Unmarshal(raw, &example); err != nil {
		t.Fatal(err)
	}
	var secret [32]byte
	if _, err := hex.Decode(secret[:], []byte(example.RecipientSecret)); err != nil {
		t.Fatal(err)
	}
	k, err := LocalKeys(secret, rand.New(rand.NewSource(1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckWrap(&example.Wrap, k.PubKey); err != nil {
		t.Fatal(err)
	}
	plain, err := k.Decrypt(example.Wrap.PubKey, example.Wrap.Content)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := OpenWrap(plain)
	if err != nil || seal.ID != example.Seal.ID {
		t.Fatalf("seal = %v, %v", seal, err)
	}
	plain, err = k.Decrypt(seal.PubKey, seal.Content)
	if err != nil {
		t.Fatal(err)
	}
	rumour, err := parseRumour(plain)
	if err != nil || Rumour(*rumour).ID != example.RumourID {
		t.Fatalf("rumour = %v, %v", rumour, err)
	}
	if _, err := OpenSeal(&example.Wrap, seal, k.PubKey, plain); !errors.Is(err, ErrWrap) || !strings.Contains(err.Error(), "kind 1,") {
		t.Errorf("err = %v", err)
	}
}

func TestIsPlain(t *testing.T) {
	equal(t, "JSON", IsPlain(" \n{\"ver\":1}"), true)
	equal(t, "NIP-44", IsPlain("AhC3Qj/QsKJFWuf6"), false)
	equal(t, "nothing", IsPlain(""), false)
}

func FuzzOpenWrap(f *testing.F) {
	f.Add(`{"kind":13,"tags":[]}`, `{"kind":25801,"tags":[["p"]]}`)
	f.Fuzz(func(t *testing.T, seal, rumour string) {
		if _, err := OpenWrap(seal); err != nil && !errors.Is(err, ErrWrap) {
			t.Fatal(err)
		}
		wrap := nostr.Event{Kind: KindWrap}
		if ev, err := OpenSeal(&wrap, &nostr.Event{PubKey: bot}, me, rumour); err == nil && !IsKind(ev.Kind) {
			t.Fatal("another kind came through")
		}
	})
}
