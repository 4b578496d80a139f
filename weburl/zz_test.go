package weburl
import ("testing";"encoding/json";"os";whatwg "github.com/nlnwa/whatwg-url/url";"fmt")
func TestZZ(t *testing.T){
 b,_:=os.ReadFile("../../shared/suites/url/urltestdata.json")
 var raw []json.RawMessage
 json.Unmarshal(b,&raw)
 n,ok:=0,0
 for _,r:=range raw{
  var c struct{Input string; Base *string; Href string; Failure bool}
  if json.Unmarshal(r,&c)!=nil{continue}
  n++
  var u *whatwg.Url; var err error
  if c.Base==nil{u,err=whatwg.Parse(c.Input)}else{u,err=whatwg.ParseRef(*c.Base,c.Input)}
  got:=""
  if err==nil{got=u.Href(false)}
  if c.Failure==(err!=nil)&&got==c.Href{ok++;continue}
  bs:="nil"; if c.Base!=nil{bs=*c.Base}
  fmt.Printf("%q base %q\n   got %q err %v\n   want %q fail %v\n",c.Input,bs,got,err,c.Href,c.Failure)
 }
 fmt.Println(ok,n)
}
