package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// expiredCertificate returns a self-signed certificate that has expired a day ago: wrong in
// two ways, for the right host.
func expiredCertificate(host string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the curve is a constant
	}
	long := time.Now().Add(-48 * time.Hour)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: long, NotAfter: long.Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err) // the template is a constant but for the host
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// An authority signs the certificates of sites that should be trusted.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newAuthority makes a certificate authority that is valid for a day. It signs itself.
func newAuthority() *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the curve is a constant
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{template, key}
	der := a.sign(template, &key.PublicKey)
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		panic(err) // it was made above
	}
	return a
}

// sign signs a certificate for a public key.
func (a *authority) sign(template *x509.Certificate, key *ecdsa.PublicKey) []byte {
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	if err != nil {
		panic(err) // templates are constants but for the host
	}
	return der
}

// certificate returns a certificate for a host, signed by the server's
// [Server.Authority].
func (s *Server) certificate(host string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the curve is a constant
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	return tls.Certificate{Certificate: [][]byte{s.authority().sign(template, &key.PublicKey)}, PrivateKey: key}
}

// Authority returns the certificate that a crawl of all rows must trust, as
// PEM: some rows are about what a server does once it is trusted.
func (s *Server) Authority() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.authority().cert.Raw})
}

// serveTLS answers one request, if the other side accepts the certificate. A crawler that
// does not verify certificates gets a page.
func serveTLS(c net.Conn, cert tls.Certificate) {
	t := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
	defer t.Close()
	if t.Handshake() != nil {
		return
	}
	t.Read(make([]byte, 4096))
	t.Write([]byte(whole("HTTP/1.1 200 OK", "Content-Type: text/html\r\n", "<p>trusted")))
}
