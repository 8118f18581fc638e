package check

import (
	"strings"
	"testing"
)

func TestExamples(t *testing.T) {
	for _, f := range functions {
		t.Run(f.Name, func(t *testing.T) {
			if f.Doc == "" || !strings.HasPrefix(f.Signature, "string."+f.Name+"(") || !strings.Contains(f.Example, f.Name+"(") {
				t.Errorf("the row is incomplete: %+v", f)
			}
			c, err := CompileValue(f.Example)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Value(Input{Text: Analyse(f.Text)})
			if err != nil {
				t.Fatal(err)
			}
			if got != f.Want {
				t.Errorf("%s on %q\ngot  %s\nwant %s", f.Example, f.Text, got, f.Want)
			}
		})
	}
}

func TestJSONErrors(t *testing.T) {
	for _, text := range []string{"", "{", "Here: {}", "```json\n{}\n```\n```json\n{}\n```"} {
		if _, err := mustCompile(t, "text.json() == 1").Eval(Input{Text: Analyse(text)}); err == nil || !strings.Contains(err.Error(), "not JSON") {
			t.Errorf("%q: %v", text, err)
		}
	}
	r, err := mustCompile(t, "text.json() == {'a': [1, 2.5, 'x', null, true]}").Eval(Input{Text: Analyse(`{"a": [1, 2.5, "x", null, true]}`)})
	if err != nil || !r.Passed {
		t.Errorf("%+v %v", r, err)
	}
}

func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1}`: true, " [1]\n": true, "```json\n{}\n```": true, "~~~\n1\n~~~\n": true,
		"": false, "{": false, "Here:\n```json\n{}\n```": false, "```json\n{}\n```\n```json\n{}\n```": false, "```json\n{\n```": false,
	} {
		if r, err := mustCompile(t, "text.is_json()").Eval(Input{Text: Analyse(text)}); err != nil || r.Passed != want {
			t.Errorf("%q: %+v %v", text, r, err)
		}
	}
}

// TestAddsTo: a text that repeats its assignment says nothing, whatever stands
// before each item.
func TestAddsTo(t *testing.T) {
	items := []string{"Write the rollback procedure for the schema migration", "Rotate the signing keys monthly", "Runbook for the night shift"}
	for text, want := range map[string]bool{
		"":                          false,
		"Done.":                     false,
		"42, on 3 hosts.":           true,
		"A cron job.":               false,
		"Terraform, by Nomad.":      true,
		strings.Join(items, "\n\n"): false,
		"- [x] Done: " + strings.Join(items, "\n- [x] Completed: "):                                         false,
		"The key of the service is replaced on the first Monday by a job; the old one is kept for an hour.": true,
	} {
		if got := addsTo(text, items); got != want {
			t.Errorf("%q adds something: %t", text, got)
		}
	}
	for text, want := range map[string]bool{
		"设计会话管理，每季度更换密钥。":                                         false,
		"已完成：设计会话管理。已完成：每季度更换密钥。":                                 false,
		"登录之后创建会话，令牌保存在缓存中三十分钟；旧密钥在更换后保留一周。":                      true,
		"ログイン後にセッションを作成し、トークンを三十分だけキャッシュに保存する。":                   true,
		"सत्र लॉगिन के बाद बनता है, और टोकन तीस मिनट तक रहता है।": true,
		"เซสชันถูกสร้างขึ้นหลังจากผู้ใช้เข้าสู่ระบบสำเร็จ":        true,
	} {
		if got := addsTo(text, []string{"设计会话管理", "每季度更换密钥"}); got != want {
			t.Errorf("%q adds something: %t", text, got)
		}
	}
}
