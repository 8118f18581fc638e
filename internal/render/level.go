package render

import (
	"encoding/json"
	"fmt"

	"github.com/swarmspeed/shadowd/internal/shadow"
)

// LevelText is the indicator of a level and its word. A score of which too
// little was read may only get worse: a level that lets a bundle through is not
// named then.
func LevelText(l shadow.Level, unread bool) (icon, word string) {
	if unread && l.Action() == shadow.Proceed {
		return unreadIcon, unreadLevel
	}
	return Icon(l), shadow.Printable(string(l))
}

// ScoreText is a score with the word of its level, as [LevelText] gives it.
func ScoreText(percent json.Number, level string) string {
	if level == unreadLevel {
		return fmt.Sprintf("%s, %s %% so far", level, percent)
	}
	return fmt.Sprintf("%s %% %s", percent, level)
}

// unreadLevel stands in the place of a level.
const unreadLevel = "unread"

// unreadIcon stands in the place of a level's indicator.
const unreadIcon = "⚪"

// Icon is the spec's indicator of a level.
func Icon(l shadow.Level) string {
	switch l {
	case shadow.Perfect:
		return "✅"
	case shadow.Minor:
		return "🟢"
	case shadow.Moderate:
		return "🟡"
	case shadow.Significant:
		return "🟠"
	}
	return "🔴"
}
