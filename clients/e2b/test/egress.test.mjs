// SPDX-License-Identifier: Apache-2.0
//
// Names of hosts and a proxy in rules, as the library sends them. Names lead nowhere here: only the
// proxy knows them, which is what it is for.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, beforeEach, test } from 'node:test'
import { api, create, library } from './host.mjs'

const everything = library.ALL_TRAFFIC
const nobody = '198.51.100.7'

// Not a loopback address, where no proxy may be either.
const here = Object.values(networkInterfaces())
  .flat()
  .find((one) => one.family === 'IPv4' && !one.internal && !one.address.startsWith('169.254.'))

// A proxy of SOCKS5 that answers by itself, and keeps what it was asked for and by whom.
let asked = []
const proxy = createServer((client) => {
  let got = Buffer.alloc(0)
  let step = 0
  client.on('error', () => {})
  client.on('data', (data) => {
    got = Buffer.concat([got, data])
    for (;;) {
      if (step === 0 && got.length >= 2 && got.length >= 2 + got[1]) {
        const user = got.subarray(2, 2 + got[1]).includes(2)
        client.write(Buffer.from([5, user ? 2 : 0]))
        got = got.subarray(2 + got[1])
        step = user ? 1 : 2
      } else if (step === 1 && got.length >= 2 && got.length >= 3 + got[1] + got[2 + got[1]]) {
        const word = 3 + got[1]
        const end = word + got[2 + got[1]]
        asked.push(`${got.subarray(2, 2 + got[1])} ${got.subarray(word, end)}`)
        client.write(Buffer.from([1, 0]))
        got = got.subarray(end)
        step = 2
      } else if (step === 2 && got.length >= 5 && got.length >= (got[3] === 3 ? 7 + got[4] : 10)) {
        const named = got[3] === 3
        const host = named ? `${got.subarray(5, 5 + got[4])}` : got.subarray(4, 8).join('.')
        const at = named ? 5 + got[4] : 8
        asked.push(`${host}:${got.readUInt16BE(at)}`)
        client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        got = got.subarray(at + 2)
        step = 3
      } else if (step === 3 && got.includes('\r\n\r\n')) {
        return client.end('by proxy')
      } else {
        return
      }
    }
  })
})

before(async () => {
  assert.ok(here, 'this machine has an address beside those of its loopback')
  await new Promise((resolve) => proxy.listen(0, here.address, resolve))
})
after(() => proxy.close())
beforeEach(() => (asked = []))

const through = (more = {}) => ({ address: `${here.address}:${proxy.address().port}`, ...more })

async function get(sandbox, name, port = 80) {
  const request = `GET / HTTP/1.1\\r\\nHost: ${name}\\r\\n\\r\\n`
  const result = await sandbox.commands.run(`printf '${request}' | nc -w 60 ${nobody} ${port} || true`)
  return result.stdout.trim()
}

async function update(sandbox, network) {
  if (sandbox.updateNetwork) return sandbox.updateNetwork(network)
  // The older version cannot.
  const body = JSON.stringify(network)
  const answer = await api(`/sandboxes/${sandbox.sandboxId}/network`, { method: 'PUT', body })
  assert.equal(answer.status, 204)
}

async function told(sandbox) {
  return (await (await api(`/sandboxes/${sandbox.sandboxId}`)).json()).network
}

test('names are allowed where all is denied', async () => {
  const network = { denyOut: [everything], allowOut: ['*.example.test', 'localhost'] }
  const sandbox = await create({ allowInternetAccess: true, network })
  assert.deepEqual(await told(sandbox), { allowOut: ['*.example.test', 'localhost'], denyOut: ['0.0.0.0/0'] })
  const refused = await get(sandbox, 'example.test')
  assert.match(refused, /^HTTP\/1\.1 403 /)
  assert.match(refused, /do not allow example\.test$/)
  assert.match(await get(sandbox, 'localhost'), /may not reach the addresses of localhost/)
  assert.match(await get(sandbox, 'a.example.test', 8080), /^HTTP\/1\.1 502 /)
})

test('names are refused where not all is denied', async () => {
  const network = { allowOut: ['example.test'] }
  await assert.rejects(create({ allowInternetAccess: true, network }), library.SandboxError)
  const sandbox = await create({ allowInternetAccess: false, network })
  assert.match(await get(sandbox, 'other.test'), /^HTTP\/1\.1 403 /)
})

test('all leaves through a proxy, which is told names', async () => {
  const network = {
    denyOut: [everything],
    allowOut: ['api.example.test'],
    egressProxy: through({ username: 'me', password: 'secret' }),
  }
  const sandbox = await create({ allowInternetAccess: true, network })
  assert.equal(await get(sandbox, 'api.example.test'), 'by proxy')
  assert.match(await get(sandbox, 'other.test'), /^HTTP\/1\.1 403 /)
  assert.deepEqual(asked, ['me secret', 'api.example.test:80'])
  assert.deepEqual((await told(sandbox)).egressProxy, through({ username: 'me' }))
  assert.deepEqual((await sandbox.getInfo()).network.egressProxy, through({ username: 'me' }))

  await update(sandbox, { egressProxy: through() })
  assert.equal(await get(sandbox, 'other.test', 7777), 'by proxy')
  assert.deepEqual(asked.slice(2), [`${nobody}:7777`])
})

test('a proxy is not on this host itself', async () => {
  const network = { egressProxy: { address: '127.0.0.1:1080' } }
  await assert.rejects(create({ allowInternetAccess: true, network }), /may not reach/)
})
