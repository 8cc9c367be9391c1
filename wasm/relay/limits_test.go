package relay

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nbd-wtf/go-nostr"
)

func TestARelayThatFloodsIsClosed(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, id := live(t, p, n, b)
		big := note(0, 1)
		big.Content = strings.Repeat("x", 1<<20)
		total := 0
		for i := 1; ; i++ {
			big.ID = note(i, 0).ID
			if total += len(big.String()) + Overhead; total > MaxBacklog-10*Overhead /* for the states */ {
				break
			}
			c.deliver(id, big)
		}
		synctest.Wait()
		if state := p.States()[0]; state.Phase != Online {
			t.Fatalf("closed below the limit: %+v", state)
		}
		c.deliver(id, big)
		c.gone()
		synctest.Wait()
		if state := p.States()[0]; state.Phase != Offline || state.Reason != errFlooded.Error() {
			t.Fatalf("state %+v", state)
		}
		// What came is still delivered, and makes room.
		for b.next().Event.ID != big.ID {
		}
		n.accept().req()
	})
}

func TestAFloodOfNoticesIsClosedToo(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Connect(testURL))
		c := n.accept()
		for range MaxBacklog/(MaxWords+Overhead) + 1 {
			c.send(`["NOTICE","` + strings.Repeat("x", MaxWords) + `"]`)
			synctest.Wait()
		}
		if state := p.States()[0]; state.Reason != errFlooded.Error() {
			t.Fatalf("state %+v", state)
		}
	})
}

func TestWithoutIncomingNothingIsQueued(t *testing.T) {
	inTime(t, Options{NoIncoming: true}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		go func() {
			c := n.accept()
			c.send(`["NOTICE","hello"]`)
			id, _ := c.req()
			c.deliver(id, note(1, 1))
			c.eose(id)
		}()
		if events, complete, err := p.Fetch(t.Context(), testURL, room); len(events) != 1 || !complete || err != nil {
			t.Fatal(events, complete, err)
		}
		if len(p.queue.items) != 0 {
			t.Fatalf("queued %+v", p.queue.items)
		}
	})
}

func TestFetchStopsAtMaxFetch(t *testing.T) {
	for _, more := range []int{-1, 0} {
		inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
			go func() {
				c := n.accept()
				id, _ := c.req()
				for i := range MaxFetch + more {
					c.deliver(id, note(i+1, 1))
				}
				c.eose(id)
			}()
			events, complete, err := p.Fetch(t.Context(), testURL, room)
			if len(events) != MaxFetch+more || err != nil || complete != (more < 0) {
				t.Fatalf("%d events, %t, %v", len(events), complete, err)
			}
		})
	}
}

func TestFetchesWaitInLine(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		for range MaxOneShot + 1 {
			go p.Fetch(t.Context(), testURL, room)
		}
		c := n.accept()
		var ids []string
		for range MaxOneShot {
			id, _ := c.req()
			ids = append(ids, id)
		}
		synctest.Wait()
		c.quiet()
		c.eose(ids[2])
		c.expect(msgClose)
		c.req()
	})
}

func TestNextGivesAtMostMaxBatchInOrder(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, id := live(t, p, n, b)
		const count = MaxBatch + 1
		for i := range count {
			c.deliver(id, note(i+1, 1))
		}
		synctest.Wait()
		got := 0
		for _, want := range []int{MaxBatch, 1} {
			batch, err := p.Next(t.Context())
			if err != nil || len(batch) != want {
				t.Fatalf("a batch of %d, %v; want %d", len(batch), err, want)
			}
			for _, in := range batch {
				if got++; in.Event.ID != note(got, 0).ID {
					t.Fatalf("%s came as number %d", in.Event.ID, got)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Next(ctx); !isErr(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

func TestSubscriptionsAreChecked(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		for _, bad := range []Subscription{{}, {Name: "x"}, {Filters: Fixed(room)}} {
			if p.Subscribe(testURL, bad) == nil {
				t.Errorf("%+v was taken", bad)
			}
		}
		must(t, p.Subscribe(testURL, Subscription{Name: "none", Filters: Fixed()}))
		if in := b.want(GotClosed); in.Sub != "none" || in.Retry {
			t.Fatalf("%+v", in)
		}
	})
}

func TestSubscribingAgainUnderTheSameNameReplaces(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, _ := live(t, p, n, b, note(1, 1))
		must(t, p.Subscribe(testURL, roomSub()))
		c.expect(msgClose)
		id, filters := c.req()
		if filters[0].Since != nil {
			t.Fatal("a new subscription has no past")
		}
		c.deliver(id, note(1, 1))
		b.wantEvents(1)
	})
}

func TestFixedMovesSinceForwardOnly(t *testing.T) {
	later, earlier := nostr.Timestamp(100), nostr.Timestamp(10)
	ask := Fixed(nostr.Filter{Since: &later}, nostr.Filter{Since: &earlier}, nostr.Filter{})
	if got := fmt.Sprint(ask(0)); got != `[{"since":100} {"since":10} {}]` {
		t.Fatal(got)
	}
	if got := fmt.Sprint(ask(50)); got != `[{"since":100} {"since":50} {"since":50}]` {
		t.Fatal(got)
	}
}

func TestDropEndsWhatWasAsked(t *testing.T) {
	inTime(t, Options{}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		c, _ := live(t, p, n, b)
		got := make(chan error, 1)
		go func() {
			_, err := p.Publish(t.Context(), testURL, note(1, 1))
			got <- err
		}()
		c.event(msgEvent)
		p.Drop(testURL + "/")
		if err := <-got; !isErr(err, ErrClosed) {
			t.Fatal(err)
		}
		c.gone()
		if len(p.States()) != 0 {
			t.Fatal("still there")
		}
		live(t, p, n, b) // and it can be had again
	})
}
