package signer

import "context"

// Wrapper seals secrets with a key that never leaves this browser. NewWrapper
// makes the one of this build. It is safe for concurrent use.
type Wrapper interface {
	// Wrap seals a secret. Errors wrap ErrNoWebCrypto where the browser offers no
	// such key.
	Wrap(ctx context.Context, secret []byte) ([]byte, error)
	// Unwrap opens what Wrap has sealed. Errors wrap ErrKeyStore where the key is
	// gone, or ErrNoWebCrypto.
	Unwrap(ctx context.Context, sealed []byte) ([]byte, error)
}

// nonceSize is that of AES-GCM, in bytes; sealed secrets begin with a nonce.
const nonceSize = 12

// Wipe destroys the key of w: nothing that it has sealed opens any more. The next
// Wrap makes another.
func Wipe(ctx context.Context, w Wrapper) error {
	if w, ok := w.(interface{ wipe(context.Context) error }); ok {
		return w.wipe(ctx)
	}
	return nil
}
