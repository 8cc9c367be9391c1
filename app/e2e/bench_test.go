package e2e

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// watchTasks keeps the longest main-thread task of every page, in
// milliseconds, and when the room was first usable.
const watchTasks = `
window.longest = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longest = Math.max(window.longest, e.duration); }).observe({ type: "longtask", buffered: true });
`

const benchMessages = 5000

// BenchmarkRoomOf5000 opens a room, lets 5,000 messages arrive, and reloads:
// longtask-ms is the longest main-thread task while they arrive, start-up
// aside, usable-ms from navigation to a usable room with a warm cache, and
// renderer-MB the memory (PSS) of the page's process, worker included.
func BenchmarkRoomOf5000(b *testing.B) {
	for b.Loop() {
		s := serve(b, "-no-agent")
		ana := visit(b, s, "ana", "/", func(p *person) { p.script = watchTasks })
		ana.signUp().enter("lobby")
		ana.say("I was here")
		ana.stands("I was here", "stored")
		s.stop()
		texts := make([]string, benchMessages)
		for i := range texts {
			texts[i] = fmt.Sprintf("message %d of many, with some **words** and a `code`", i)
		}
		s.seedMany(newKey(b), time.Now().Unix()-benchMessages-10, texts)
		eval[float64](ana, "window.longest = 0")
		s.start()
		ana.wait("the last message", `document.body.innerText.includes("message 4999")`)
		ana.wait("all of them to be known", `document.querySelector("[data-connection=online]")`)
		b.ReportMetric(eval[float64](ana, "window.longest"), "longtask-ms")
		began := time.Now()
		ana.reload()
		ana.has("textbox", "Message")
		ana.wait("the messages", `e2e.messages().length >= 50`)
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "usable-ms")
		b.ReportMetric(float64(eval[int](ana, "e2e.messages().length")), "mounted")
		b.ReportMetric(rendererMB(), "renderer-MB")
	}
}

// BenchmarkStream lets an agent stream a long answer: longtask-ms is the
// longest main-thread task meanwhile.
func BenchmarkStream(b *testing.B) {
	for b.Loop() {
		s := serve(b)
		ana := visit(b, s, "ana", "/", func(p *person) { p.script = watchTasks })
		ana.signUp()
		ana.open("/agents")
		ana.press("link", "House agent")
		ana.fill("Message", "stream 300")
		eval[float64](ana, "window.longest = 0")
		ana.press("button", "Send")
		ana.wait("the answer", `document.querySelector("[data-run][data-state=done]")`)
		b.ReportMetric(eval[float64](ana, "window.longest"), "longtask-ms")
	}
}

// rendererMB is the memory of the largest renderer process, in MB.
func rendererMB() float64 {
	largest := 0.0
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0
	}
	for _, path := range processes {
		line, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(line), "--type=renderer") {
			continue
		}
		largest = max(largest, pssMB(filepath.Join(filepath.Dir(path), "smaps_rollup")))
	}
	return largest
}

func pssMB(path string) float64 {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if fields := strings.Fields(scanner.Text()); len(fields) > 1 && fields[0] == "Pss:" {
			kB, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return 0
			}
			return kB / 1024
		}
	}
	return 0
}
