package check

func UnbackedNumbers(t *Text, summary string) []Finding { return nil }
