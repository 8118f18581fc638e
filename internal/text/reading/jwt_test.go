package reading
import ("testing";"os";"strings";"github.com/swarmspeed/shadowd/internal/text/markdown";"path/filepath")
func TestJWT(t *testing.T){
 for _,d:=range readRun(t,"/work/shared/runs/jwt-ss100.jsonl"){
  raw,err:=os.ReadFile("../../shadow/check/testdata/reading/"+d.name+".tsv"); if err!=nil {t.Log(err);continue}
  var items []Item; var truth []string
  for l:=range strings.Lines(string(raw)){ if l[0]=='#'{continue}; f:=strings.Split(strings.TrimSpace(l),"\t"); items=append(items,Item{f[2],false}); truth=append(truth,f[0])}
  for i,r:=range New(d.work).Read(items){ t.Log(d.name,truth[i],r.Verdict,"|",items[i].Text,"|",r.Why,"|",r.Passage)}
 }
 for _,dir:=range []string{"dev","untouched"}{
 fs,_:=filepath.Glob("../../shadow/check/testdata/reading/"+dir+"/*.tsv")
 c:=map[string]int{}
 if dir=="untouched" {continue}
 for _,f:=range fs { raw,_:=os.ReadFile(f); md,_:=os.ReadFile(strings.TrimSuffix(f,".tsv")+".md"); if md==nil {continue}
  r:=New(&Work{Content:markdown.Parse(string(md)),Status:"success"})
  for l:=range strings.Lines(string(raw)){ if l[0]=='#'{continue}; ff:=strings.Split(strings.TrimSpace(l),"\t"); 
   g:=r.Read([]Item{{ff[len(ff)-1],false}})[0]; c[ff[0]+" "+string(g.Verdict)]++
   if ff[0]=="T" && (g.Verdict==Declined||g.Verdict==Missing) || ff[0]=="F" && g.Verdict==Found { t.Log(filepath.Base(f),l,g)} } }
 t.Log(dir,c)}
}
