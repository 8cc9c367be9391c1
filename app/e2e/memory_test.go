package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// keepNothing turns off what chromedp turns on: that the page's process keeps a
// copy of all that was downloaded, for tools to look at.
func (p *person) keepNothing() { p.run(command(network.Disable, cdp.Empty{})) }

// collectGarbage lets the page's engine collect what nothing holds any more.
func (p *person) collectGarbage() {
	p.t.Helper()
	p.run(command(heapprofiler.CollectGarbage, cdp.Empty{}))
}

// rendererMB is the memory (PSS) of the largest renderer process of our browser,
// in MB: what it shares with others, such as the browser's code, counts in part,
// the less the more processes share it.
func rendererMB(t testing.TB) float64 {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	ours, largest := chromedp.FromContext(browser(t)).Browser.Process().Pid, 0.0
	for _, dir := range processes {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err == nil && strings.Contains(string(line), "--type=renderer") && descends(dir, ours) {
			largest = max(largest, kilobytes(filepath.Join(dir, "smaps_rollup"), "Pss:")/1024)
		}
	}
	if largest == 0 {
		t.Fatal("no renderer process was found; this reads /proc, as Linux has it")
	}
	return largest
}

// descends tells whether the process that dir of /proc is about comes from pid.
func descends(dir string, pid int) bool {
	for dir != "/proc/0" {
		if filepath.Base(dir) == strconv.Itoa(pid) {
			return true
		}
		parent := field(filepath.Join(dir, "status"), "PPid:")
		if parent == "" {
			return false // it has ended
		}
		dir = "/proc/" + parent
	}
	return false
}

func kilobytes(path, name string) float64 {
	kB, err := strconv.ParseFloat(field(path, name), 64)
	if err != nil {
		return 0 // the process has ended
	}
	return kB
}

// field is the word behind a name in a file of /proc; "" where there is none.
func field(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if words := strings.Fields(scanner.Text()); len(words) > 1 && words[0] == name {
			return words[1]
		}
	}
	return ""
}
