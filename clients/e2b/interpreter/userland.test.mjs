// SPDX-License-Identifier: Apache-2.0
//
// What people and agents find in the template that they get when they name none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '../test/host.mjs'

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
