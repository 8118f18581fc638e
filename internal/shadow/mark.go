package shadow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"
)

// Mark returns a mark that only the holder of key can have made: it says that
// it wrote what the words stand for, a digest say. It is the public key and,
// behind a space, a MAC whose key is the secret of that one.
func Mark(words string, key nkeys.KeyPair) (string, error) {
	pub, err := key.PublicKey()
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	secret, err := key.Seed()
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("shadowd mark\n" + words))
	return pub + " " + base64.RawStdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// Marked says whether m is a mark that Mark made for the same words with key,
// or with any key of a [Ring]. Its error is ErrWrongKey where m names another
// key: then nobody but its holder can tell.
func Marked(m, words string, key nkeys.KeyPair) (bool, error) {
	by, _, _ := strings.Cut(m, " ")
	if !nkeys.IsValidPublicCurveKey(by) {
		return false, nil
	}
	maker, err := holder(key, by)
	if err != nil {
		return false, err
	}
	if maker == nil {
		return false, fmt.Errorf("a mark: %w: it was made with %s", ErrWrongKey, by)
	}
	own, err := Mark(words, maker)
	return err == nil && hmac.Equal([]byte(m), []byte(own)), err
}
