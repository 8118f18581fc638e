package shadow

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nkeys"
)

type ownMark struct {
	Own string `json:"own"`
}

// Mark returns a mark that only the holder of key can have made: it says that
// it wrote what the words stand for, a digest say. It has no line breaks.
func Mark(words string, key nkeys.KeyPair) (string, error) {
	plain, err := json.Marshal(ownMark{words})
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	m, err := shut(plain, key)
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	return string(m), nil
}

// Marked says whether m is a mark that Mark made for the same words with key,
// or with any key of a [Ring]. Its error is ErrWrongKey where m names another
// key: then nobody but its holder can tell.
func Marked(m, words string, key nkeys.KeyPair) (bool, error) {
	plain, err := open([]byte(m), key)
	if errors.Is(err, ErrWrongKey) {
		return false, fmt.Errorf("a mark: %w", err)
	}
	var own ownMark
	return err == nil && json.Unmarshal(plain, &own) == nil && own.Own != "" && own.Own == words, nil
}
