package pack_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compress/gzip"

	"github.com/andybalholm/brotli"

	"parley/server/files/index"
	"parley/server/files/pack"
	"parley/server/files/packtest"
)

func mustPack(t *testing.T, o pack.Options) index.Index {
	t.Helper()
	ix, err := pack.Pack(o)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func find(t *testing.T, ix index.Index, name string) index.Asset {
	t.Helper()
	a, ok := ix.Find(name)
	if !ok {
		t.Fatalf("%s is not in the index", name)
	}
	return a
}

func read(t *testing.T, o pack.Options, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.Out, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEveryFileIsPackedUnderItsHash(t *testing.T) {
	o := packtest.Options(t)
	ix := mustPack(t, o)
	if len(ix.Assets) != len(packtest.Sources) {
		t.Errorf("%d files in the index, want %d", len(ix.Assets), len(packtest.Sources))
	}
	for _, a := range ix.Assets {
		if a.Immutable != strings.Contains(a.Path, a.Hash) {
			t.Errorf("%s: immutable is %t, but its path is %s", a.Name, a.Immutable, a.Path)
		}
		if int64(len(read(t, o, a.Path))) != a.Size {
			t.Errorf("%s: size %d is not that of the file", a.Name, a.Size)
		}
	}
	onDisk, err := index.Read(os.DirFS(o.Out))
	if err != nil || onDisk.Build != ix.Build {
		t.Errorf("the index on disk is of build %q (%v), want %q", onDisk.Build, err, ix.Build)
	}
}

func TestTwinsHoldTheSameContent(t *testing.T) {
	o := packtest.Options(t)
	a := find(t, mustPack(t, o), "app.wasm")
	if !a.Brotli || !a.Gzip {
		t.Fatal("a long text has no twins")
	}
	br, err := io.ReadAll(brotli.NewReader(strings.NewReader(read(t, o, a.Path+".br"))))
	if err != nil || string(br) != packtest.Sources["app.wasm"] {
		t.Errorf("the brotli twin differs (%v)", err)
	}
	unzip, err := gzip.NewReader(strings.NewReader(read(t, o, a.Path+".gz")))
	if err != nil {
		t.Fatal(err)
	}
	if gz, err := io.ReadAll(unzip); err != nil || string(gz) != packtest.Sources["app.wasm"] {
		t.Errorf("the gzip twin differs (%v)", err)
	}
}

func TestTwinsThatSaveNothingAreLeftOut(t *testing.T) {
	ix := mustPack(t, packtest.Options(t))
	for _, name := range []string{"boot.js", "icon-180.png"} {
		if a := find(t, ix, name); a.Brotli || a.Gzip {
			t.Errorf("%s of %d bytes has a twin", name, a.Size)
		}
	}
}

func TestReferencesFollowTheHash(t *testing.T) {
	o := packtest.Options(t)
	ix := mustPack(t, o)
	icon := find(t, ix, "icon.svg")
	if css := read(t, o, find(t, ix, "app.css").Path); !strings.Contains(css, "url("+filepath.Base(icon.Path)+")") {
		t.Error("the style names the icon by its old name")
	}
	if manifest := read(t, o, "manifest.webmanifest"); !strings.Contains(manifest, `"`+icon.Path+`"`) {
		t.Errorf("the manifest names the icon by its old name: %s", manifest)
	}
}

func TestAReferredFileChangesItsReferrer(t *testing.T) {
	o := packtest.Options(t)
	before := mustPack(t, o)
	if err := os.WriteFile(filepath.Join(o.Assets, "icon.svg"), []byte("<svg/>"), 0o644); err != nil {
		t.Fatal(err)
	}
	after := mustPack(t, o)
	if find(t, before, "app.css").Path == find(t, after, "app.css").Path {
		t.Error("the style kept its name although the icon it names changed")
	}
	if before.Build == after.Build {
		t.Error("the build id is the same although a file changed")
	}
}

func TestWhatEarlierBuildsLeftIsSwept(t *testing.T) {
	o := packtest.Options(t)
	ix := mustPack(t, o)
	for _, left := range []string{"assets/app.0000.css", "assets/app.0000.css.br", find(t, ix, "boot.js").Path + ".br"} {
		if err := os.WriteFile(filepath.Join(o.Out, left), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.Out, ".keep"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	mustPack(t, o)
	want := 2 // .keep and the index
	for _, a := range ix.Assets {
		want++
		if a.Brotli {
			want++
		}
		if a.Gzip {
			want++
		}
	}
	got := 0
	fs.WalkDir(os.DirFS(o.Out), ".", func(_ string, e fs.DirEntry, _ error) error {
		if !e.IsDir() {
			got++
		}
		return nil
	})
	if got != want {
		t.Errorf("%d files in the folder, want %d", got, want)
	}
}

func TestUnchangedContentIsNotCompressedAgain(t *testing.T) {
	o := packtest.Options(t)
	mustPack(t, o)
	entries, err := os.ReadDir(o.Cache)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d files in the cache (%v)", len(entries), err)
	}
	for _, e := range entries { // what is in the cache is taken as it is
		if err := os.WriteFile(filepath.Join(o.Cache, e.Name()), []byte("cached"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := find(t, mustPack(t, o), "app.wasm")
	if got := read(t, o, a.Path+".br"); got != "cached" {
		t.Errorf("the twin holds %q, not what the cache has", got)
	}
}

func TestAFileOfAnUnknownKindIsAnError(t *testing.T) {
	o := packtest.Options(t)
	if err := os.WriteFile(filepath.Join(o.Assets, "notes.odt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := pack.Pack(o); err == nil || !strings.Contains(err.Error(), "notes.odt") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

func TestAnUnpackedFolderSaysHowToPackIt(t *testing.T) {
	if _, err := index.Read(os.DirFS(t.TempDir())); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v, want an error that names `make build`", err)
	}
}
