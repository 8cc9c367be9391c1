package e2e

import (
	"fmt"
	"testing"
	"time"
)

// watchTasks keeps the main-thread tasks of every page that the browser calls
// long: those of more than 50 ms.
const watchTasks = `
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries())).observe({ type: "longtask", buffered: true });
`

// now is the time in the page, in milliseconds since it was opened.
func (p *person) now() float64 { return eval[float64](p, "performance.now()") }

// longTasks gives the longest main-thread task since a time, in milliseconds
// (0 when none took more than 50), and how many were long.
func (p *person) longTasks(since float64) (longest, many float64) {
	for _, ms := range eval[[]float64](p, fmt.Sprintf("longTasks.filter((t) => t.startTime >= %f).map((t) => t.duration)", since)) {
		longest = max(longest, ms)
		many++
	}
	return longest, many
}

const benchMessages = 5000

// BenchmarkRoomOf5000 opens a room, lets 5,000 messages arrive, and reloads:
// longtask-ms is the longest main-thread task while they arrive, start-up
// aside, usable-ms from navigation to a usable room with a warm cache,
// renderer-MB the memory (PSS) of the page's process, worker included, and
// littered-MB the same before what the page before the reload has left behind was
// collected, which the browser does within seconds.
func BenchmarkRoomOf5000(b *testing.B) {
	for b.Loop() {
		s := serve(b, "-no-agent")
		ana := visit(b, s, "ana", "/", func(p *person) { p.script, p.prepare = watchTasks, p.keepNothing })
		ana.signUp().enter("lobby")
		ana.say("I was here")
		ana.stands("I was here", "stored")
		s.stop()
		texts := make([]string, benchMessages)
		for i := range texts {
			texts[i] = fmt.Sprintf("message %d of many, with some **words** and a `code`", i)
		}
		s.seedMany(newKey(b), time.Now().Unix()-benchMessages-10, texts)
		since := ana.now()
		s.start()
		ana.wait("the last message", `document.body.innerText.includes("message 4999")`)
		ana.wait("all of them to be known", `document.querySelector("[data-connection=online]")`)
		longest, _ := ana.longTasks(since)
		b.ReportMetric(longest, "longtask-ms")
		began := time.Now()
		ana.reload()
		ana.has("textbox", "Message")
		ana.wait("the messages", `e2e.messages().length >= 50`)
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "usable-ms")
		b.ReportMetric(float64(eval[int](ana, "e2e.messages().length")), "mounted")
		b.ReportMetric(rendererMB(b), "littered-MB")
		ana.collectGarbage()
		b.ReportMetric(rendererMB(b), "renderer-MB")
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
		since := ana.now()
		ana.press("button", "Send")
		ana.wait("the answer", `document.querySelector("[data-run][data-state=done]")`)
		longest, _ := ana.longTasks(since)
		b.ReportMetric(longest, "longtask-ms")
	}
}
