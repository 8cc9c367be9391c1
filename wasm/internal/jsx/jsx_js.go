package jsx

import "syscall/js"

// Error is something JavaScript threw, or a DOMException it handed over.
type Error struct {
	// Name is the exception's name, such as QuotaExceededError.
	Name string
	// Message is the browser's own text.
	Message string
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Try runs f and gives what it throws as an *Error. Panics that JavaScript
// did not throw go through.
func Try(f func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = Reason(thrown.Value)
		default:
			panic(thrown)
		}
	}()
	f()
	return nil
}

// Reason gives the error of a DOMException, or of whatever else stands in an
// error's place.
func Reason(value js.Value) error {
	if value.Type() != js.TypeObject {
		return &Error{"UnknownError", "the browser gave no reason"}
	}
	return &Error{value.Get("name").String(), value.Get("message").String()}
}

// Listen adds an event listener and gives what removes and releases it, which
// may be called from the listener itself and more than once. f must not wait.
func Listen(target js.Value, event string, f func(ev js.Value)) (remove func()) {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	target.Call("addEventListener", event, fn)
	removed := false
	return func() {
		if removed {
			return
		}
		removed = true
		target.Call("removeEventListener", event, fn)
		fn.Release()
	}
}
