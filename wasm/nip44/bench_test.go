package nip44

import (
	"strings"
	"testing"
)

func BenchmarkConversationKey(b *testing.B) {
	secret := [32]byte{31: 9}
	peer := publicKey(b, strings.Repeat("5", 64))
	for b.Loop() {
		if _, err := ConversationKey(secret, peer); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncrypt200(b *testing.B) { benchEncrypt(b, 200) }
func BenchmarkDecrypt200(b *testing.B) { benchDecrypt(b, 200) }
func BenchmarkDecrypt32k(b *testing.B) { benchDecrypt(b, 32000) }

func benchEncrypt(b *testing.B, n int) {
	plaintext := strings.Repeat("x", n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encrypt(plaintext, testKey, [32]byte{1}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchDecrypt(b *testing.B, n int) {
	payload, err := Encrypt(strings.Repeat("x", n), testKey, [32]byte{1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decrypt(payload, testKey); err != nil {
			b.Fatal(err)
		}
	}
}
