package bus

import (
	"testing"
	"time"
)

// TestKnownForAll: once one event shows that its run is decomposed, none of
// those that its commander has waiting there takes a place of unknown runs:
// they are not read again while the run is being sealed, and until then events
// of other runs would be refused.
func TestKnownForAll(t *testing.T) {
	const most = 3
	w := newWaitingBook(most, time.Hour)
	event := func(run, commander string, seq uint64) *input {
		in := &input{message: &message{seq: seq}, addr: Address{Run: run, Commander: commander}}
		w.enter(in)
		return in
	}
	for seq := range uint64(most) {
		if !w.enterUnknown(event("run-1", "cmd-1", seq)) {
			t.Fatalf("no place for event %d", seq)
		}
	}
	w.enterUnknown(event("run-1", "cmd-2", 10))
	w.known(event("run-1", "cmd-1", 1))
	for seq := range uint64(most) {
		if !w.enterUnknown(event("run-2", "cmd-1", 20+seq)) {
			t.Errorf("place %d is still taken", seq)
		}
	}
	if w.enterUnknown(event("run-3", "cmd-1", 30)) {
		t.Error("there are more places than there should be")
	}
}
