package jsx

import (
	"context"
	"syscall/js"
)

// Await waits for a promise. Its callbacks are released on both outcomes; when
// ctx ends first they are released once the promise settles.
func Await(ctx context.Context, promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	settled := make(chan outcome, 1)
	var then, catch js.Func
	release := func() {
		then.Release()
		catch.Release()
	}
	then = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- outcome{value: first(args)}
		release()
		return nil
	})
	catch = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled <- outcome{err: Reason(first(args))}
		release()
		return nil
	})
	promise.Call("then", then, catch)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}
