// SPDX-License-Identifier: Apache-2.0
//
// What people and agents find in the template that they get when they name none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, create, eventually } from '../test/host.mjs'

test('the userland', async () => {
  const sandbox = await create()
  const run = async (command, options) => (await sandbox.commands.run(command, options)).stdout.trim()
  const user = { user: 'user' }
  assert.equal(await run('whoami; pwd; sudo whoami', user), 'user\n/home/user\nroot')
  assert.equal(await run('python -c "import ssl, sqlite3, venv; print(6 * 7)"', user), '42')
  await run('git init -q r && cd r && git -c user.name=u -c user.email=u@e commit -q --allow-empty -m m', user)
  assert.match(await run('curl --version; pip --version; dpkg --audit; apt-get --version', user), /^curl .*\npip .*apt /s)
  assert.equal(await run('setfattr -n user.k -v v .profile && getfattr --only-values -n user.k .profile', user), 'v')
  assert.equal(await run('shopt login_shell', user), 'login_shell    \ton')
})

test('a server in it may speak TLS', async () => {
  const sandbox = await create({ network: { httpsPorts: [8443] } })
  const subject = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=whoever'
  await sandbox.commands.run(`openssl req ${subject} -keyout key.pem -out cert.pem`)
  const server = `
import http.server, ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('cert.pem', 'key.pem')
server = http.server.ThreadingHTTPServer(('', 8443), http.server.SimpleHTTPRequestHandler)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()`
  await sandbox.files.write('server.py', server)
  await sandbox.files.write('hello', 'through TLS')
  await sandbox.commands.run('python server.py', { background: true, timeoutMs: 0 })
  const headers = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': '8443' }
  const answer = await eventually(async () => {
    const tried = await api('/hello', { headers })
    return tried.status === 200 && tried.text()
  })
  assert.equal(answer, 'through TLS')
})

// Nobody knows the name: who speaks TLS here, and says so, is the host that puts headers in.
test('its programs trust the host that puts headers into requests', async () => {
  const name = 'api.example.test'
  const rules = { [name]: [{ transform: { headers: { 'X-Api-Key': 'k' } } }] }
  const network = { denyOut: ['0.0.0.0/0'], allowOut: [name], rules }
  const sandbox = await create({ network })
  const run = async (command) => (await sandbox.commands.run(command, { user: 'user' })).stdout.trim()
  const nobody = '198.51.100.7'
  const unknown = /api\.example\.test is not known to this sandbox's host/
  assert.match(await run(`curl -sS --resolve ${name}:443:${nobody} https://${name}/`), unknown)
  const program = `
import socket, ssl
plain = socket.create_connection(('${nobody}', 443))
tls = ssl.create_default_context().wrap_socket(plain, server_hostname='${name}')
tls.sendall(b'GET / HTTP/1.1\\r\\nHost: ${name}\\r\\nConnection: close\\r\\n\\r\\n')
print(tls.makefile('rb').read().decode())`
  await sandbox.files.write('/tmp/ask.py', program)
  assert.match(await run('python /tmp/ask.py'), unknown)
  assert.match(await run('echo $NODE_EXTRA_CA_CERTS'), /ramet\.crt$/)
})
