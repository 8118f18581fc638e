package rules

import (
	"strings"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// classify gives the words of a phrase to one category. Of the words that tell
// a category the strongest decides: error handling, then edge case, then
// completeness. What nothing claims is the happy path.
func classify(words []string, security bool) shadow.Category {
	strongest := happyPath
	for i, w := range words {
		if security && securityWords[w] {
			return shadow.Security
		}
		strongest = max(strongest, tellingWords[w])
		if i > 0 && firstOfPair[words[i-1]] {
			strongest = max(strongest, tellingPairs[words[i-1]+" "+w])
		}
		if len(w) == 3 && (w[0] == '4' || w[0] == '5') && w[1] < '3' && isDigits(w) {
			strongest = errorHandling // an HTTP status: 400 to 429, 500 to 529
		}
	}
	return [...]shadow.Category{shadow.HappyPath, shadow.Completeness, shadow.EdgeCase, shadow.ErrorHandling}[strongest]
}

// strength orders the categories that words tell.
type strength uint8

const (
	happyPath strength = iota
	completeness
	edgeCase
	errorHandling
)

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// tellingWords are the words that place a phrase. Words of the trade that fit
// everything a domain does ("test", "document") are not among them: they would
// put all of a domain's work into one category.
var tellingWords = index(map[strength]string{
	errorHandling: `invalid expired malformed unavailable unavailability unreachable offline down fail fails failed failing failure failures
		error errors exception exceptions reject rejects rejected rejection rollback rollbacks revert reverts undo fallback fallbacks crash crashes
		outage outages timeout timeouts emergency incident incidents recover recovers recovery restore corrupt
		corrupted corruption abort aborted orphaned stuck denied unauthorized forbidden tamper tampering tampered attack attacks alert alerts
		degraded degradation disaster panic poison broken wrong unhandled backout
		fehler fehlermeldung fehlermeldungen fehlerfall ausfall ausfälle ungültig ungültige störung störungen abbruch fallo fallos errores inválido caída erreur
		erreurs échec panne invalide`,
	edgeCase: `concurrent concurrency concurrently parallel simultaneous race races limit limits limited limiting boundary boundaries edge corner
		empty zero duplicate duplicates duplicated deduplicate size sizes length lengths maximum minimum rotation rotate rotates rotated overlap overlaps
		overlapping expiry expire expires expiration overflow underflow large huge oversized threshold thresholds quota quotas throttle throttling
		leere leer doppelte gleichzeitig grenzwerte sonderfälle vacío vacía duplicado duplicados simultáneo vide doublon simultané
		peak stale unicode timezone timezones negative null optional legacy partial skew drift leap`,
	completeness: `diagram diagrams changelog readme audit configuration configurations configure glossary checklist matrix inventory appendix
		summary dashboard dashboards license`,
})

// securityWords place a phrase where the category security is configured. Many
// of them are words of other categories too.
var securityWords = set(`encrypt encrypts encrypted encryption decrypt decryption secret secrets secure security credential credentials password passwords
	permission permissions privilege privileges authorization authorisation csrf xss injection sanitize sanitise certificate certificates tls mtls
	pii gdpr vulnerability vulnerabilities tamper tampering tampered attack attacks malicious untrusted signature signatures rbac`)

// tellingPairs are pairs of words that do the same as tellingWords.
var tellingPairs = map[string]strength{
	"roll back": errorHandling, "time out": errorHandling, "times out": errorHandling, "on call": errorHandling, "dead letter": errorHandling,
	"dead letters": errorHandling, "at most": edgeCase, "at least": edgeCase, "more than": edgeCase, "less than": edgeCase, "time zone": edgeCase,
}

// firstOfPair spares most words the look-up of a pair.
var firstOfPair = func() map[string]bool {
	m := map[string]bool{}
	for pair := range tellingPairs {
		first, _, _ := strings.Cut(pair, " ")
		m[first] = true
	}
	return m
}()

func index(words map[strength]string) map[string]strength {
	m := map[string]strength{}
	for c, list := range words {
		for w := range set(list) {
			m[w] = c
		}
	}
	return m
}
