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
// it stored data of this digest on a subject. The mark has three parts, with
// spaces between: the digest, so that who has not got the data can tell too; the
// name of the key, a MAC of its own, so that no public key has to be worked out;
// and the MAC of subject and digest.
func Mark(subject, digest string, key nkeys.KeyPair) (string, error) {
	secret, err := key.Seed()
	if err != nil {
		return "", fmt.Errorf("a mark: %w", err)
	}
	mac := func(what string) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(what))
		return h.Sum(nil)
	}
	return digest + " " + hex.EncodeToString(mac("shadowd key")[:8]) + " " + hex.EncodeToString(mac("shadowd mark\n"+subject+"\n"+digest)), nil
}

// Marked returns the digest of the data that m marks, if Mark made it for the
// subject with key, or with any key of a [Ring]; else it is empty. Its error is
// ErrWrongKey where m names another key: then nobody but its holder can tell.
func Marked(m, subject string, key nkeys.KeyPair) (digest string, err error) {
	part := strings.Split(m, " ")
	if len(part) != 3 || len(part[1]) != 16 {
		return "", nil
	}
	for _, k := range pairs(key) {
		own, err := Mark(subject, part[0], k)
		if err != nil {
			return "", err
		}
		if hmac.Equal([]byte(m), []byte(own)) {
			return part[0], nil
		}
		if strings.HasPrefix(own, part[0]+" "+part[1]+" ") {
			return "", nil
		}
	}
	return "", fmt.Errorf("a mark: %w: it was made with %.16q", ErrWrongKey, part[1])
}
