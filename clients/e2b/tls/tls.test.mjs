// SPDX-License-Identifier: Apache-2.0
//
// What of the protocol could suffer from TLS and HTTP/2: streams both ways, uploads, signed URLs,
// ends that break off, errors. The rest is tried without TLS.
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { Sandbox, create, eventually, library, sleep } from '../test/host.mjs'

let sandbox

before(async () => {
  assert.match(process.env.E2B_API_URL, /^https:/)
  sandbox = await create()
})

test('HTTP/2, with the certificate that the host made', async () => {
  const session = connect(process.env.E2B_API_URL, { ca: readFileSync(process.env.NODE_EXTRA_CA_CERTS) })
  const status = await new Promise((done, failed) => {
    session.on('error', failed)
    session.request({ ':path': '/health' }).on('response', (headers) => done(headers[':status'])).resume().end()
  })
  assert.equal(status, 200)
  assert.equal(session.alpnProtocol, 'h2')
  session.close()
})

test('create, connect, look at, kill', async () => {
  const made = await create({ metadata: { a: 'b' } })
  const same = await Sandbox.connect(made.sandboxId)
  assert.equal((await same.getInfo()).sandboxId, made.sandboxId)
  assert.equal(await made.isRunning(), true)
  const found = await Sandbox.list({ query: { metadata: { a: 'b' } } }).nextItems()
  assert.deepEqual(found.map((one) => one.sandboxId), [made.sandboxId])
  assert.equal(await made.kill(), true)
  assert.equal(await Sandbox.kill(made.sandboxId), false)
  assert.equal(await made.isRunning(), false)
  await assert.rejects(Sandbox.connect(made.sandboxId), library.SandboxNotFoundError)
  await assert.rejects(Sandbox.create('no-such-template'), /404/)
  await assert.rejects(Sandbox.list({ apiKey: 'e2b_0123456789abcdef' }).nextItems(), library.AuthenticationError)
})

test('commands: output as it comes, input, status', async () => {
  const seen = []
  const began = Date.now()
  await sandbox.commands.run('echo one; sleep 1; echo two', { onStdout: (text) => seen.push([text, Date.now() - began]) })
  assert.deepEqual(seen.map(([text]) => text), ['one\n', 'two\n'])
  assert.ok(seen[1][1] - seen[0][1] > 800)
  const cat = await sandbox.commands.run('cat; echo end', { background: true, stdin: true })
  await sandbox.commands.sendStdin(cat.pid, 'some ')
  await cat.sendStdin('text ')
  await cat.closeStdin()
  assert.equal((await cat.wait()).stdout, 'some text end\n')
  await assert.rejects(sandbox.commands.run('exit 3'), (error) => error.exitCode === 3)
  const results = await Promise.all(Array.from({ length: 20 }, (_, i) => sandbox.commands.run(`echo ${i}`)))
  results.forEach((result, i) => assert.equal(result.stdout, `${i}\n`))
})

test('a terminal', async () => {
  let screen = ''
  const decoder = new TextDecoder()
  const terminal = await sandbox.pty.create({ cols: 90, rows: 20, onData: (bytes) => (screen += decoder.decode(bytes, { stream: true })) })
  await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('echo $((40+2)); stty size\n'))
  await eventually(() => /42\r\n20 90/.test(screen))
  assert.equal(await sandbox.pty.kill(terminal.pid), true)
})

test('files: large ones, watches, errors', async () => {
  const bytes = Uint8Array.from({ length: 8_000_000 }, (_, i) => i % 251)
  await sandbox.files.write('/tmp/bytes', bytes.buffer)
  assert.deepEqual(await sandbox.files.read('/tmp/bytes', { format: 'bytes' }), bytes)
  await sandbox.files.makeDir('watched')
  const seen = []
  const watch = await sandbox.files.watchDir('watched', (event) => seen.push(event))
  await sandbox.files.write('watched/new', '1')
  await eventually(() => seen.some((event) => event.name === 'new'))
  await watch.stop()
  await assert.rejects(sandbox.files.read('nothing'), library.NotFoundError)
  await assert.rejects(sandbox.files.read('/tmp'), library.InvalidArgumentError)
})

test('signed URLs', async () => {
  await sandbox.files.write('/tmp/signed', 'by URL')
  const url = await sandbox.downloadUrl('/tmp/signed', { useSignatureExpiration: 60 })
  assert.match(url, /^https:/)
  assert.equal(await (await fetch(url)).text(), 'by URL')
  assert.equal((await fetch(url.replace('signed', 'other'))).status, 401)
  const form = new FormData()
  form.append('file', new Blob(['uploaded']), 'name')
  assert.equal((await fetch(await sandbox.uploadUrl('/tmp/up'), { method: 'POST', body: form })).status, 200)
  assert.equal(await sandbox.files.read('/tmp/up'), 'uploaded')
})

test('a sandbox that is killed breaks its own streams alone', async () => {
  const doomed = await create()
  const endless = await doomed.commands.run('sleep 100', { background: true })
  const other = await sandbox.commands.run('sleep 2; echo on', { background: true })
  await sleep(200)
  await doomed.kill()
  await assert.rejects(endless.wait())
  assert.equal((await other.wait()).stdout, 'on\n')
})
