package hostile

import (
	"net"
	"net/netip"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// A nameServer answers DNS questions over UDP, for the names of the rows and no
// others. One goroutine answers; names may be added by any.
type nameServer struct {
	conn  net.PacketConn
	mu    sync.Mutex
	names map[string]answer
	asked map[string]int // questions for addresses (A), by name
}

// An answer returns the reply to the n-th question (from 1) for the addresses
// of a name.
type answer func(n int) *reply

// A reply is one DNS answer. A nil reply is silence.
type reply struct {
	code  dnsmessage.RCode
	addrs []netip.Addr
	cname string
}

// addresses, failure and alias make replies.
func addresses(list ...netip.Addr) *reply {
	return &reply{addrs: list}
}

func failure(code dnsmessage.RCode) *reply {
	return &reply{code: code}
}

func alias(to string) *reply {
	return &reply{cname: to}
}

// newNameServer listens on a free port of loopback. UDP is enough for answers of this size.
func newNameServer() (*nameServer, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &nameServer{conn: conn, names: map[string]answer{}, asked: map[string]int{}}, nil
}

// point gives a name an address.
func (s *nameServer) point(name string, addr netip.Addr) {
	s.set(name, func(int) *reply { return addresses(addr) })
}

// set gives a name an answer; "*.domain" is for all names below a domain.
func (s *nameServer) set(name string, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = a
}

// serve answers until the connection is closed.
func (s *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if out := s.respond(buf[:n]); out != nil {
			s.conn.WriteTo(out, from)
		}
	}
}

// respond returns the answer to a question as bytes, nil for no answer: to what cannot be
// parsed, and to names that are silent on purpose.
func (s *nameServer) respond(in []byte) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(in)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	r := s.look(q)
	if r == nil {
		return nil
	}
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: h.ID, Response: true, RecursionDesired: h.RecursionDesired, RecursionAvailable: true, RCode: r.code},
		Questions: []dnsmessage.Question{q},
		Answers:   records(q, r),
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// look finds the reply to a question. Names of no row do not exist. Only questions for IPv4
// addresses are counted, since resolvers ask for both kinds.
func (s *nameServer) look(q dnsmessage.Question) *reply {
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Type == dnsmessage.TypeA {
		s.asked[name]++
	}
	a := s.names[name]
	if _, parent, ok := strings.Cut(name, "."); a == nil && ok {
		a = s.names["*."+parent]
	}
	if a == nil {
		return failure(dnsmessage.RCodeNameError)
	}
	return a(max(1, s.asked[name]))
}

// records returns the part of a reply that the question is about. The time to
// live is 0: the next answer may be another one.
func records(q dnsmessage.Question, r *reply) (list []dnsmessage.Resource) {
	h := func(t dnsmessage.Type) dnsmessage.ResourceHeader {
		return dnsmessage.ResourceHeader{Name: q.Name, Type: t, Class: dnsmessage.ClassINET}
	}
	if r.cname != "" {
		list = append(list, dnsmessage.Resource{
			Header: h(dnsmessage.TypeCNAME), Body: &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(r.cname + ".")},
		})
	}
	for _, a := range r.addrs {
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			list = append(list, dnsmessage.Resource{Header: h(q.Type), Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			list = append(list, dnsmessage.Resource{Header: h(q.Type), Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return list
}
