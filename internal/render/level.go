package render

import (
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// Look is how a level is shown: its indicator in the spec, its word and a colour.
type Look struct {
	Icon, Word string
	colour     Style
}

// LookUnread stands in the place of a level that is no judgement.
var LookUnread = Look{"⚪", string(shadow.Unread), Yellow}

// LookOf is how the level of a score is shown.
func LookOf(l shadow.Level, isUnread bool) Look {
	word := shadow.Printable(string(l))
	switch l.Shown(isUnread) {
	case shadow.Unread:
		return LookUnread
	case shadow.Perfect:
		return Look{"✅", word, Green}
	case shadow.Minor:
		return Look{"🟢", word, Green}
	case shadow.Moderate:
		return Look{"🟡", word, Yellow}
	case shadow.Significant:
		return Look{"🟠", word, Yellow}
	}
	return Look{"🔴", word, Red}
}

// MedianLook is how the level of a median is shown. It is no judgement where of
// half of its domains, or more, too little was read.
func MedianLook(l shadow.Level, unread, domains int) Look {
	return LookOf(l, unread > 0 && 2*unread >= domains)
}

// score is a score with its level, such as "12.5 % minor", or "unread, 0.0 % so
// far".
func (l Look) score(percent string) string {
	if l == LookUnread {
		return fmt.Sprintf("%s, %s %% so far", l.Word, percent)
	}
	return fmt.Sprintf("%s %% %s", percent, l.Word)
}
