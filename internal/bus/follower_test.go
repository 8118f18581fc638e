package bus

import (
	"sync"
	"testing"
)

// TestSharedAnswer: who asks while a question is out is answered by one that is
// put after it.
func TestSharedAnswer(t *testing.T) {
	var s sharedAnswer
	var put uint64
	var wg sync.WaitGroup
	ask := func(meanwhile func()) uint64 {
		n, err := s.ask(func() (uint64, error) {
			put++
			n := put
			meanwhile()
			return n, nil
		})
		if err != nil {
			t.Error(err)
		}
		return n
	}
	first := ask(func() {
		var begun sync.WaitGroup
		for range 8 {
			begun.Add(1)
			wg.Go(func() {
				begun.Done()
				if n := ask(func() {}); n == 1 {
					t.Error("answered by the question that was out")
				}
			})
		}
		begun.Wait()
	})
	wg.Wait()
	if first != 1 || put > 9 {
		t.Errorf("the first question is %d, of %d", first, put)
	}
}
