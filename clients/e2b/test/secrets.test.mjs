// SPDX-License-Identifier: Apache-2.0
//
// Secrets, and rules that put them into requests, as the library asks for them. The host of the
// requests is a proxy that knows the name, and answers with what it was sent.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import { api, create, library } from './host.mjs'

const { Secret, SecretError, SecretNotFoundError } = library

const value = 'v4lue-9f2c71'
const nobody = '198.51.100.7'
const name = 'api.example.test'

// Not a loopback address, where no proxy may be.
const here = Object.values(networkInterfaces())
  .flat()
  .find((one) => one.family === 'IPv4' && !one.internal && !one.address.startsWith('169.254.'))

const proxy = createServer((client) => {
  let got = Buffer.alloc(0)
  let step = 0
  client.on('error', () => {})
  client.on('data', (data) => {
    got = Buffer.concat([got, data])
    if (step === 0 && got.length >= 2 + got[1]) {
      got = got.subarray(2 + got[1])
      client.write(Buffer.from([5, 0]))
      step = 1
    }
    if (step === 1 && got.length >= 5 && got.length >= 7 + got[4]) {
      got = got.subarray(7 + got[4])
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
      step = 2
    }
    if (step === 2 && got.includes('\r\n\r\n')) {
      client.end(`HTTP/1.1 200 OK\r\nContent-Length: ${got.length}\r\nConnection: close\r\n\r\n${got}`)
    }
  })
})

before(async () => {
  assert.ok(here, 'this machine has an address beside those of its loopback')
  await new Promise((resolve) => proxy.listen(0, here.address, resolve))
})
after(async () => {
  proxy.close()
  for (const one of await (await api('/secrets')).json()) {
    await api(`/secrets/${one.secretID}`, { method: 'DELETE' })
  }
})

async function get(sandbox) {
  const request = `GET / HTTP/1.1\\r\\nHost: ${name}\\r\\nX-Api-Key: mine\\r\\nConnection: close\\r\\n\\r\\n`
  const result = await sandbox.commands.run(`printf '${request}' | nc -w 60 ${nobody} 80 || true`)
  return result.stdout
}

test('a secret from creation to its end', async () => {
  const made = await Secret.create('Life', value, { metadata: { team: 'a' } })
  assert.match(made.secretId, /^sec_/)
  assert.equal(made.name, 'life')
  assert.equal(made.version, 1)
  assert.deepEqual(made.metadata, { team: 'a' })
  assert.ok(made.createdAt instanceof Date && !Number.isNaN(made.createdAt.getTime()))
  await assert.rejects(Secret.create('life', value), SecretError)

  const changed = await Secret.update('life', `${value}2`)
  assert.equal(changed.version, 2)
  assert.deepEqual(await Secret.getInfo(made.secretId), changed)
  assert.ok(await Secret.exists('life'))
  assert.ok(!JSON.stringify(changed).includes(value))

  assert.equal(await Secret.destroy('life'), true)
  assert.equal(await Secret.destroy('life'), false)
  assert.equal(await Secret.exists('life'), false)
  await assert.rejects(Secret.getInfo('life'), SecretNotFoundError)
  await assert.rejects(Secret.update('life', value), SecretNotFoundError)
  await assert.rejects(Secret.create('a b', value), SecretError)
})

test('secrets are listed in pages', async () => {
  for (const one of ['page-1', 'page-2', 'page-3']) await Secret.create(one, value)
  const pages = Secret.list({ limit: 2 })
  const names = []
  while (pages.hasNext) names.push(...(await pages.nextItems()).map((one) => one.name))
  assert.deepEqual(names.filter((one) => one.startsWith('page-')), ['page-1', 'page-2', 'page-3'])
})

test('rules put a secret into requests, and nobody is told', async () => {
  await Secret.create('rule', value)
  const rules = { [name]: [{ transform: { headers: { 'X-Api-Key': `Bearer ${Secret.fill('rule')}` } } }] }
  const network = {
    rules,
    denyOut: ({ allTraffic }) => [allTraffic],
    allowOut: (context) => [...context.rules.keys()],
    egressProxy: { address: `${here.address}:${proxy.address().port}` },
  }
  const sandbox = await create({ network })
  const seen = await get(sandbox)
  assert.match(seen, /^X-Api-Key: Bearer v4lue-9f2c71\r$/m)
  assert.ok(!seen.includes('mine'), seen)
  await Secret.update('rule', 'another')
  assert.match(await get(sandbox), /^X-Api-Key: Bearer another\r$/m)

  const info = await sandbox.getInfo()
  assert.deepEqual(info.network.rules, rules)
  assert.ok(!JSON.stringify(info).includes('another'))
  await sandbox.updateNetwork({ ...network, rules: undefined, allowOut: [name] })
  assert.match(await get(sandbox), /^X-Api-Key: mine\r$/m)
  await sandbox.updateNetwork(network)
  await Secret.destroy('rule')
  const gone = await get(sandbox)
  assert.match(gone, /^HTTP\/1\.1 502 /)
  assert.match(gone, /secret rule .* deleted/)
})

test('rules that cannot take effect are refused', async () => {
  const refused = async (headers, pattern) => {
    const network = { denyOut: [library.ALL_TRAFFIC], allowOut: [name], rules: { [name]: [{ transform: { headers } }] } }
    await assert.rejects(create({ network }), pattern)
  }
  await refused({ A: Secret.fill('nobody-made-it') }, /there is no secret nobody-made-it/)
  await refused({ A: 'a\r\nB: c' }, /400/)
  await refused({ Host: 'a' }, /400/)
  const tokens = { aws: Secret.iamToken({ audience: 'a', tokenType: 'JWT-SVID' }) }
  await assert.rejects(create({ iam: { tokens } }), /501: .*identities/)
})
