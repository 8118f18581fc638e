package shadow

import "testing"

func TestSensitive(t *testing.T) {
	for text, want := range map[string]bool{
		"Refactor the authentication module": true,
		"Hash PASSWORDS with argon2":         true,
		"A page to log-in, or sign-in":       true,
		"Rotate the API keys":                true,
		"Validate user-supplied files":       true,
		"refresh tokens expire":              true,
		"token buckets limit the rate":       false,
		"a log in JSON":                      false,
		"the secretary writes minutes":       false,
		"JWTs":                               false,
		"unauthorized":                       false,
		"":                                   false,
	} {
		d := &Decomposition{Domains: []Domain{{SubTasks: []string{"Write it", text}}}}
		if got := isSensitive(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
		if got := len((&Settings{}).categoriesFor(d)) == 1; got != want {
			t.Errorf("a sub-task %q: %t", text, got)
		}
	}
}
