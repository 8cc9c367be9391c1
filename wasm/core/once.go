package core

import (
	"context"
	"encoding/json"
	"strconv"

	"parley/wasm/port"
)

const onceBucket = "once" // the replies to acts, by tab and call

// OnceFor is how long, in seconds, the reply to an act is kept, so that a page
// that asks a new core again does not act twice. A takeover takes seconds.
const OnceFor = 600

// once are the calls that act: a page whose core died before it replied sends
// them again, to a core that may find them done.
var once = map[string]bool{
	port.Send: true, port.React: true, port.Unreact: true, port.Edit: true, port.Delete: true, port.Report: true,
	port.SendAsk: true, port.AnswerAsk: true, port.SendTask: true, port.CancelTask: true,
	port.SendPrompt: true, port.StopRun: true, port.JoinRoom: true, port.LeaveRoom: true, port.CreateRoom: true,
}

// keptReply is what an act came to.
type keptReply struct {
	At    int64           `json:"at"` // unix seconds
	Value json.RawMessage `json:"value,omitempty"`
}

func onceKey(e port.Envelope) string { return e.Tab + "/" + strconv.FormatInt(e.ID, 10) }

// doOnce does an act, or gives the reply of the time when it was done. What
// fails is not kept: it may be tried again.
func (c *Core) doOnce(ctx context.Context, e port.Envelope, act func() outcome) outcome {
	if !once[e.Method] || e.Tab == "" {
		return act()
	}
	key := onceKey(e)
	if kept, ok := load[keptReply](ctx, c, onceBucket, key); ok {
		return outcome{value: kept.Value}
	}
	o := act()
	if o.err != nil {
		return o
	}
	kept := keptReply{At: c.now()}
	if o.value != nil {
		kept.Value, o.err = json.Marshal(o.value)
	}
	if err := c.keep(c.ctx, onceBucket, key, kept); err != nil && c.ctx.Err() == nil {
		c.notice("storage", err.Error())
	}
	return o
}

// forgetReplies drops the replies that nobody can ask for any more.
func (c *Core) forgetReplies(ctx context.Context) error {
	kept, err := c.Store.List(ctx, onceBucket)
	if err != nil {
		return err
	}
	for key, text := range kept {
		var reply keptReply
		if json.Unmarshal(text, &reply) == nil && c.Now().Unix()-reply.At < OnceFor {
			continue
		}
		if err := c.Store.Remove(ctx, onceBucket, key); err != nil {
			return err
		}
	}
	return nil
}
