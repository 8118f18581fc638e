package shadow

import (
	"testing"

	"github.com/nats-io/nkeys"
)

func BenchmarkMark(b *testing.B) {
	key, err := nkeys.CreateCurveKeys()
	if err != nil {
		b.Fatal(err)
	}
	words := Digest([]byte("a report"))
	mark, err := Mark(words, key)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Mark(words, key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if own, err := Marked(mark, words, key); !own || err != nil {
				b.Fatal(own, err)
			}
		}
	})
}
