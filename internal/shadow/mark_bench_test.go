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
	const subject = "swarm.gap-report.run-1.one.0"
	words := Digest([]byte("a report"))
	mark, err := Mark(subject, words, key)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Mark(subject, words, key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if digest, err := Marked(mark, subject, key); digest != words || err != nil {
				b.Fatal(digest, err)
			}
		}
	})
}
