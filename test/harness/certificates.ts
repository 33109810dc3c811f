import { execFileSync } from 'node:child_process';
import { connect } from 'node:tls';

/** Makes a certificate and its key anew. */
export function selfSigned(cert: string, key: string): void {
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const about = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...made, ...about], { stdio: 'ignore' });
}

/** SHA-256 of the certificate that a new handshake gets. */
export function fingerprint(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.on('error', reject);
  });
}
