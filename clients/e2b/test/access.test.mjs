// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, api, create, library } from './host.mjs'

const stranger = { apiKey: 'e2b_0123456789abcdef' }

test('a key that is not the host\'s opens nothing', async () => {
  const sandbox = await create()
  await assert.rejects(Sandbox.create('micro', stranger), library.AuthenticationError)
  await assert.rejects(Sandbox.connect(sandbox.sandboxId, stranger), library.AuthenticationError)
  await assert.rejects(Sandbox.list(stranger).nextItems(), library.AuthenticationError)
  await assert.rejects(Sandbox.kill(sandbox.sandboxId, stranger), library.AuthenticationError)
  assert.equal(await sandbox.isRunning(), true)
})

test('a user key does not rule the host', async () => {
  const answer = await api('/templates/import', { method: 'POST', body: '{}' })
  assert.equal(answer.status, 403)
  const error = await answer.json()
  assert.equal(error.code, 403)
  assert.equal(error.error, 'FORBIDDEN')
  assert.equal((await api('/metrics')).status, 403)
  assert.equal((await api('/templates/micro', { method: 'DELETE' })).status, 403)
  assert.equal((await api('/templates')).status, 200)
})
