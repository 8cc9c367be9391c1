package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	someNsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	someHex  = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"
)

func TestTheKeyIsTheOneGivenOrTheOneKept(t *testing.T) {
	fromNsec, err := Key(someNsec, "")
	if err != nil {
		t.Fatal(err)
	}
	fromHex, err := Key(" "+someHex+"\n", "")
	if err != nil || fromHex != fromNsec {
		t.Errorf("%x %x %v", fromNsec, fromHex, err)
	}
	dir := filepath.Join(t.TempDir(), "agent")
	made, err := Key("", dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Key("", dir)
	if err != nil || again != made {
		t.Errorf("%x %x %v", made, again, err)
	}
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if other, err := Key("", t.TempDir()); err != nil || other == made {
		t.Error("two agents have one key")
	}
}

func TestAKeyThatIsNoneIsAnErrorThatDoesNotTellIt(t *testing.T) {
	for _, text := range []string{
		"nsec1nonsense", "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6", someHex[1:], strings.Repeat("0", 64), strings.Repeat("f", 64), "hello",
	} {
		if _, err := Key(text, ""); err == nil || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, keyFile)
	if err := os.WriteFile(path, []byte("broken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Key("", dir); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != "broken\n" {
		t.Error("the file was changed")
	}
}

func TestAnAgentThatCannotWorkIsNotMade(t *testing.T) {
	good := Config{Relays: []Relay{{URL: "ws://a.example"}}, Secret: secretKey(), Dir: t.TempDir(), Brain: quick(), Logger: testLog()}
	for what, change := range map[string]func(*Config){
		"no relay":             func(c *Config) { c.Relays = nil },
		"a relay that is none": func(c *Config) { c.Relays = []Relay{{URL: "https://a.example"}} },
		"no brain":             func(c *Config) { c.Brain = nil },
		"no key":               func(c *Config) { c.Secret = [32]byte{} },
		"no folder":            func(c *Config) { c.Dir = "" },
		"a room elsewhere":     func(c *Config) { c.Rooms = []Room{{Relay: "wss://b.example", ID: "r"}} },
		"a room without id":    func(c *Config) { c.Rooms = []Room{{}} },
	} {
		config := good
		change(&config)
		if a, err := New(config); err == nil {
			t.Errorf("%s: it was made", what)
			a.Close()
		}
	}
	a, err := New(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil { // once more does nothing
		t.Error(err)
	}
	if err := a.Run(t.Context()); err == nil {
		t.Error("a closed agent runs")
	}
}
