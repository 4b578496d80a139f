package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"time"
)

// expiredCertificate returns a certificate that nobody signed and that has run
// out.
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

// serveTLS answers one request, should the other side accept the certificate.
func serveTLS(c net.Conn, cert tls.Certificate) {
	t := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
	defer t.Close()
	if t.Handshake() != nil {
		return
	}
	t.Read(make([]byte, 4096))
	t.Write([]byte(whole("HTTP/1.1 200 OK", "Content-Type: text/html\r\n", "<p>trusted")))
}
