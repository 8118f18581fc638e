package reading
import ("testing";"os";"github.com/swarmspeed/shadowd/internal/text/markdown";"strings")
func TestDebug(t *testing.T){
 s:=os.Getenv("TXT"); if s=="" {t.Skip()}
 it:=os.Getenv("ITEM")
 w:=New(&Work{Content:markdown.Parse(strings.ReplaceAll(s,`\n`,"\n")),Status:"success"})
 for _,c:=range w.content.cues { var a,b []string
  for k:=c.lo;k<c.hi;k++{b=append(b,w.entries[w.content.words[k].id].form)}
  for k:=c.from;k<c.to;k++{a=append(a,w.entries[w.content.words[k].id].form)}
  t.Logf("cue %c line %d %v in %v opening %v narrow %v",c.about,c.line,a,b,c.opening,c.narrow)}
 t.Log(w.Read([]Item{{it,false}}))
 a:=w.assign([]Item{{it,false}}); for s,i:=range a.stems { for _,x:=range a.items[0].terms { if x.stem==i {t.Log(s,x.weight)}}}
}
