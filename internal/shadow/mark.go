package shadow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"
)

// Mark returns a mark that only the holder of key can have made: it says that
// it wrote what the words stand for, a digest say. It names the key by a MAC of
// its own, so that no public key has to be worked out, and has behind a space
// the MAC of the words.
func Mark(words string, key nkeys.KeyPair) (string, error) {
	secret, err := key.Seed()
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	mac := func(what string) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(what))
		return h.Sum(nil)
	}
	return hex.EncodeToString(mac("shadowd key")[:8]) + " " + hex.EncodeToString(mac("shadowd mark\n"+words)), nil
}

// Marked says whether m is a mark that Mark made for the same words with key,
// or with any key of a [Ring]. Its error is ErrWrongKey where m names another
// key: then nobody but its holder can tell.
func Marked(m, words string, key nkeys.KeyPair) (bool, error) {
	by, _, isMark := strings.Cut(m, " ")
	if !isMark || len(by) != 16 {
		return false, nil
	}
	for _, k := range pairs(key) {
		own, err := Mark(words, k)
		if err != nil {
			return false, err
		}
		if strings.HasPrefix(own, by+" ") {
			return hmac.Equal([]byte(m), []byte(own)), nil
		}
	}
	return false, fmt.Errorf("a mark: %w: it was made with %.16q", ErrWrongKey, by)
}
