package panel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Key names a vote in the cache: the same question, put by the same judge with
// the same words about the same bytes.
func Key(q *shadow.Question, by shadow.AuthorRef) string {
	about := []string{"item"}
	if q.Item != nil {
		about = append(about, string(q.Item.Kind), q.Item.Text)
	} else {
		about = []string{"criterion", q.Criterion.Assertion, q.Criterion.Expected}
	}
	// JSON keeps the parts apart. It cannot fail on strings.
	raw, _ := json.Marshal(append([]string{q.RunID, by.Name, by.Model.Model, by.Prompt, q.BundleDigest}, about...))
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
