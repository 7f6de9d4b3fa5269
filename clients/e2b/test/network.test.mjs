// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import { api, create, library } from './host.mjs'

const everything = library.ALL_TRAFFIC

// Not a loopback address, which no guest reaches.
const here = Object.values(networkInterfaces())
  .flat()
  .find((one) => one.family === 'IPv4' && !one.internal && !one.address.startsWith('169.254.'))

let server
before(async () => {
  assert.ok(here, 'this machine has an address beside those of its loopback')
  server = createServer((client) => client.on('error', () => {}).end('here'))
  await new Promise((resolve) => server.listen(0, '0.0.0.0', resolve))
})
after(() => server?.close())

async function reaches(sandbox, address) {
  const result = await sandbox.commands.run(`nc -w 10 ${address} ${server.address().port} || true`)
  return result.stdout.trim() === 'here'
}

test('rules hold from the beginning, change, and are told', async () => {
  const sandbox = await create({ allowInternetAccess: true, network: { denyOut: [everything] } })
  assert.equal(await reaches(sandbox, here.address), false)
  assert.deepEqual((await (await api(`/sandboxes/${sandbox.sandboxId}`)).json()).network, {
    allowOut: [],
    denyOut: ['0.0.0.0/0'],
  })
  if (sandbox.updateNetwork) {
    await sandbox.updateNetwork({ denyOut: [everything], allowOut: [`${here.address}/32`] })
  } else {
    // The older version cannot.
    const body = JSON.stringify({ denyOut: [everything], allowOut: [`${here.address}/32`] })
    assert.equal((await api(`/sandboxes/${sandbox.sandboxId}/network`, { method: 'PUT', body })).status, 204)
  }
  assert.equal(await reaches(sandbox, here.address), true)
})

test('with internet access all is reached but this host itself', async () => {
  const sandbox = await create({ allowInternetAccess: true })
  assert.equal(await reaches(sandbox, here.address), true)
  assert.equal(await reaches(sandbox, '10.0.2.2'), false)
})

test('without internet access nothing is reached', async () => {
  const sandbox = await create({ allowInternetAccess: false })
  assert.equal(await reaches(sandbox, here.address), false)
})

test('what is allowed is all there is otherwise', async () => {
  const sandbox = await create({ allowInternetAccess: false, network: { allowOut: [here.address] } })
  assert.equal(await reaches(sandbox, here.address), true)
  assert.equal(await reaches(sandbox, '192.0.2.254'), false)
})

test('a rule that is none is refused', async () => {
  await assert.rejects(create({ network: { denyOut: ['example.org'] } }), library.SandboxError)
})
