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
	// JSON keeps the parts apart. It cannot fail on strings.
	raw, _ := json.Marshal([]string{q.RunID, by.Name, by.Model.Model, by.Prompt, q.BundleDigest, q.About(), q.Text(), string(q.Control)})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
