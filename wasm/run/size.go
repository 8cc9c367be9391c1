package run

// eventOverhead is more than the JSON of a message's frame takes besides its
// content: id, key, signature, tags with the longest session id, the subscription.
const eventOverhead = 2048

// FrameSize is an upper bound for the EVENT frame of a message with so many
// bytes of plaintext, to compare with max_message_length.
func FrameSize(plain int, wrapped bool) int {
	size := payloadSize(plain) + eventOverhead
	if wrapped {
		size = payloadSize(payloadSize(size)+eventOverhead) + eventOverhead
	}
	return size
}

// payloadSize is the length of a NIP-44 payload: padding, then version, nonce
// and MAC, then base64.
func payloadSize(n int) int {
	prefix := 2
	if n > 0xffff {
		prefix = 6
	}
	return (1 + 32 + prefix + paddedSize(n) + 32 + 2) / 3 * 4
}

func paddedSize(n int) int {
	if n <= 32 {
		return 32
	}
	power := 64
	for power < n {
		power *= 2
	}
	chunk := max(32, power/8)
	return (n + chunk - 1) / chunk * chunk
}
