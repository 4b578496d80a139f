package topic
import ("testing";"strings";"time";"fmt";"errors"
"github.com/goccy/go-yaml"
"github.com/goccy/go-yaml/ast"
"github.com/goccy/go-yaml/parser")
func TestX(t *testing.T){
 for _, n := range []int{1000,2000,4000,10000} {
  var b strings.Builder; b.WriteString("seeds:\n"); for i:=range n { fmt.Fprintf(&b,"  - https://example.org/some/path/%d\n",i)}
  t0:=time.Now(); _,err:=parser.ParseBytes([]byte(b.String()),0); t.Log(n,b.Len(),time.Since(t0),err)
 }
 for _, n := range []int{100,1000,10000} { for _, u := range []string{"[","{a: ","- ","? ","&a [","!!x ", "a:\n ", "- &a\n", "\"\\u", "'", "|", "*a: ", "\t"} {
  s:=strings.Repeat(u,n)
  t0:=time.Now(); func(){ defer func(){ if e:=recover(); e!=nil {t.Log("PANIC",u,n,e)}}(); _,err:=parser.ParseBytes([]byte(s),0); m:=""; if err!=nil {m=err.Error(); if len(m)>60 {m=m[:60]}}
  if d:=time.Since(t0); d>20*time.Millisecond {t.Logf("%q %d %v %s",u,n,d,m)} }()
 }}
 for _, s := range []string{"a: b: c", "a: [1,2", "\ta: 1", "a: 1\na: 2", "a: 'x", "a\nb: 1", "- a\n- b", "", "# only", "a: *x", "a: &x 1", "a: !!str 1", "---\na: 1\n---\nb: 2", "<<: {a: 1}", "a: |\n x\n y", "a: 1e3\nb: 0x1f\nc: null\nd: ~\ne:\nf: 2024-01-01\ng: yes\nh: true", "words:\n- a\n b", "a:\n  - b\n - c", "? [a]\n: b", "\"a\": 1","1: 2", "a: @x", "a: `x`", "a: %x", "a: x # c"} {
  f,err:=parser.ParseBytes([]byte(s),0, parser.AllowDuplicateMapKey())
  if err!=nil { var se *yaml.SyntaxError; ok:=errors.As(err,&se); if ok { t.Logf("%q: SYNTAX %v %q", s, se.Token.Position, se.Message)} else {t.Logf("%q: %T %v",s,err,err)}; continue}
  for _,d:=range f.Docs { t.Logf("%q: doc %T", s, d.Body); if m,ok:=d.Body.(*ast.MappingNode); ok { for _,v:=range m.Values { t.Logf("   key %T %q at %v value %T %q", v.Key, v.Key.GetToken().Value, v.Key.GetToken().Position, v.Value, v.Value.GetToken().Value)}}}
 }
}
