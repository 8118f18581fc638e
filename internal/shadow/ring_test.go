package shadow

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestRing: a ring seals with its first key and opens what any has sealed.
func TestRing(t *testing.T) {
	old, young := curveKey(t), curveKey(t)
	before, err := Encrypt(mustSeal(t, decomposition(), settings()), old)
	if err != nil {
		t.Fatal(err)
	}
	ring := NewRing(young, old)
	after, err := Encrypt(mustSeal(t, decomposition(), settings()), ring)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := young.PublicKey()
	if SealedBy(after) != public || !ring.Holds(public) || !ring.Holds(SealedBy(before)) {
		t.Errorf("the ring seals with %s, its first key is %s", SealedBy(after), public)
	}
	for name, stored := range map[string][]byte{"before": before, "after": after} {
		if _, err := Decrypt(stored, ring); err != nil {
			t.Errorf("sealed %s the rotation: %v", name, err)
		}
	}
	if _, err := Decrypt(after, old); !errors.Is(err, ErrWrongKey) {
		t.Errorf("the old key alone: %v", err)
	}
	if _, err := Decrypt(before, NewRing(young)); !errors.Is(err, ErrWrongKey) {
		t.Errorf("the new key alone: %v", err)
	}

	// A box that names another key of the ring than it was sealed by has been
	// changed.
	var b box
	if err := json.Unmarshal(before, &b); err != nil {
		t.Fatal(err)
	}
	b.SealedBy = public
	changed, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decrypt(changed, ring); !errors.Is(err, ErrSealBroken) {
		t.Errorf("a box under another name: %v", err)
	}

	ring.Wipe()
	if _, err := Decrypt(before, ring); err == nil {
		t.Error("a wiped ring opens")
	}
}
