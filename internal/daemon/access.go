package daemon

import (
	"fmt"
	"strings"

	"github.com/swarmspeed/shadowd/internal/config"
	"github.com/swarmspeed/shadowd/internal/hint"
	"github.com/swarmspeed/shadowd/internal/keys"
)

// minToken is the least number of characters of a token: 20 random ones cannot
// be guessed.
const minToken = 20

// HTTPToken is the token of the page; empty where none is asked for.
func HTTPToken(h *config.HTTP) (string, error) {
	if h.TokenFile == "" {
		return "", nil
	}
	makeOne := fmt.Sprintf("make one with: openssl rand -hex 32 > %[1]s && chmod 600 %[1]s", h.TokenFile)
	token, err := keys.FirstLine(h.TokenFile)
	if err != nil {
		return "", hint.Usage(fmt.Errorf("http.token_file: %w", err), makeOne)
	}
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", hint.Usage(fmt.Errorf("http.token_file: %s holds no token: one is %d or more printable ASCII characters", h.TokenFile, minToken), makeOne)
	}
	return token, nil
}
