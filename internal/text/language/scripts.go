package language

import "unicode"

// firstScript is the first character of the scripts below.
const firstScript = 0x370

// scripts are the scripts that decide on the language, and Chinese and Japanese
// ones first.
var scripts = [...]struct {
	table *unicode.RangeTable
	code  string
}{
	{unicode.Han, "zh"},
	{kana, "ja"},
	{unicode.Hangul, "ko"},
	{unicode.Armenian, "hy"},
	{unicode.Bengali, "bn"},
	{unicode.Georgian, "ka"},
	{unicode.Greek, "el"},
	{unicode.Gujarati, "gu"},
	{unicode.Gurmukhi, "pa"},
	{unicode.Kannada, "kn"},
	{unicode.Khmer, "km"},
	{unicode.Lao, "lo"},
	{unicode.Malayalam, "ml"},
	{unicode.Myanmar, "my"},
	{unicode.Oriya, "or"},
	{unicode.Sinhala, "si"},
	{unicode.Tamil, "ta"},
	{unicode.Telugu, "te"},
	{unicode.Thai, "th"},
	{unicode.Tibetan, "bo"},
}

var kana = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x3096, Stride: 1}, {Lo: 0x30A1, Hi: 0x30FE, Stride: 1}}}
