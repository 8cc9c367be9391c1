package folder

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

func TestAKeyIsMadeOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "some.key")
	made, err := Key(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Key(path); err != nil || again != made {
		t.Errorf("%x %x %v", made, again, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if other, err := Key(path + "2"); err != nil || other == made {
		t.Error("two have one key")
	}
	for _, text := range []string{someNsec, someHex, " " + someHex + "\r\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if secret, err := Key(path); err != nil || secret[0] != 0x67 {
			t.Errorf("%q: %x %v", text, secret, err)
		}
	}
}

func TestAKeyThatIsNoneStaysAndIsNotTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.key")
	for _, text := range []string{
		"nsec1nonsense", "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6", someHex[1:], someHex + "0",
		strings.Repeat("0", 64), strings.Repeat("f", 64), "hello", "\x00",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Key(path); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("%q was changed to %q", text, kept)
		}
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(path); err == nil {
		t.Error("an empty file is a key")
	}
	if _, err := Key(filepath.Join(path, "below")); err == nil {
		t.Error("a key below a file")
	}
}

func TestAFolderIsLockedOnce(t *testing.T) {
	dir := t.TempDir()
	held, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("twice: %v", err)
	}
	if err := Unlock(held); err != nil {
		t.Fatal(err)
	}
	if held, err = Lock(dir); err != nil || Unlock(held) != nil {
		t.Error(err)
	}
	if _, err := Lock(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was locked")
	}
	if err := Unlock(nil); err != nil {
		t.Error(err)
	}
}
