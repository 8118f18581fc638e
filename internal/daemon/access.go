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
	return readToken("http.token_file", h.TokenFile)
}

// reviewerTokens are the names of the page's reviewers, by their tokens.
func reviewerTokens(h *config.HTTP, token string) (map[string]string, error) {
	names := map[string]string{token: "http.token_file"}
	for _, r := range h.Reviewers {
		own, err := readToken("http.reviewers: "+r.Name, r.TokenFile)
		if err != nil {
			return nil, err
		}
		if other := names[own]; other != "" {
			return nil, hint.Usage(fmt.Errorf("http.reviewers: the token of %s is that of %s too: give each its own", r.Name, other), "")
		}
		names[own] = r.Name
	}
	delete(names, token)
	return names, nil
}

// readToken reads the token of a setting from its file.
func readToken(setting, file string) (string, error) {
	makeOne := fmt.Sprintf("make one with: openssl rand -hex 32 > %[1]s && chmod 600 %[1]s", file)
	token, err := keys.FirstLine(file)
	if err != nil {
		return "", hint.Usage(fmt.Errorf("%s: %w", setting, err), makeOne)
	}
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", hint.Usage(fmt.Errorf("%s: %s holds no token: one is %d or more printable ASCII characters", setting, file, minToken), makeOne)
	}
	return token, nil
}
