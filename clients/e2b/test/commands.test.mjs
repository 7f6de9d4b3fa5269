// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { create, eventually, library, sleep } from './host.mjs'

let commands
let sandbox

before(async () => {
  sandbox = await create({ envs: { GLOBAL: 'g' } })
  commands = sandbox.commands
})

test('output, errors, status', async () => {
  const result = await commands.run('echo out; echo err >&2')
  assert.deepEqual([result.exitCode, result.stdout, result.stderr], [0, 'out\n', 'err\n'])
  await assert.rejects(commands.run('echo before; exit 3'), (error) => {
    assert.ok(error instanceof library.CommandExitError)
    assert.equal(error.exitCode, 3)
    assert.equal(error.stdout, 'before\n')
    return true
  })
  const text = 'üñ€'.repeat(50_000)
  await sandbox.files.write('/tmp/text', text)
  assert.equal((await commands.run('cat /tmp/text')).stdout, text)
})

test('environment, directory, user', async () => {
  const run = async (options) => (await commands.run('echo $GLOBAL $LOCAL $(pwd) $(whoami)', options)).stdout.trim()
  assert.equal(await run({ envs: { LOCAL: 'l' }, cwd: '/tmp', user: 'root' }), 'g l /tmp root')
  assert.equal(await run({ envs: { GLOBAL: 'own' }, user: 'user' }), 'own /home/user user')
  await assert.rejects(commands.run('true', { cwd: '/nowhere' }), library.InvalidArgumentError)
  await assert.rejects(commands.run('true', { user: 'nobody-there' }), library.AuthenticationError)
})

test('output arrives while the command runs', async () => {
  const seen = []
  const began = Date.now()
  await commands.run('echo one; sleep 1; echo two', { onStdout: (text) => seen.push([text, Date.now() - began]) })
  assert.deepEqual(seen.map(([text]) => text), ['one\n', 'two\n'])
  assert.ok(seen[1][1] - seen[0][1] > 800)
})

test('standard input, and its end', async () => {
  const cat = await commands.run('cat; echo end', { background: true, stdin: true })
  await commands.sendStdin(cat.pid, 'some ')
  await cat.sendStdin('text ')
  await cat.closeStdin()
  assert.equal((await cat.wait()).stdout, 'some text end\n')
  const without = await commands.run('cat; echo end')
  assert.equal(without.stdout, 'end\n')
})

test('background: list, connect, disconnect, kill', async () => {
  const began = await commands.run('echo $$; while true; do echo tick; sleep 0.1; done', { background: true, timeoutMs: 0 })
  assert.ok((await commands.list()).some((one) => one.pid === began.pid))
  await began.disconnect()
  let ticks = 0
  const again = await commands.connect(began.pid, { onStdout: () => ticks++ })
  await eventually(() => ticks > 3)
  assert.equal(await commands.kill(began.pid), true)
  await assert.rejects(again.wait(), library.CommandExitError)
  assert.equal(await commands.kill(began.pid), false)
  assert.ok(!(await commands.list()).some((one) => one.pid === began.pid))
  await assert.rejects(commands.connect(99_999), library.NotFoundError)
})

test('a command that ended can still be asked how, for a while', async () => {
  const quick = await commands.run('sleep 0.3; echo done; exit 5', { background: true })
  await quick.disconnect()
  await sleep(1_000)
  const again = await commands.connect(quick.pid)
  await assert.rejects(again.wait(), (error) => error.exitCode === 5 && error.stdout === 'done\n')
})

test('a command is killed at its timeout', async () => {
  await assert.rejects(commands.run('sleep 30', { timeoutMs: 700 }), library.TimeoutError)
  await eventually(async () => !(await commands.list()).some((one) => one.args.includes('sleep 30')))
})

test('many commands at once', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, i) => commands.run(`for j in 1 2 3; do echo ${i}-$j; done`)),
  )
  results.forEach((result, i) => assert.equal(result.stdout, `${i}-1\n${i}-2\n${i}-3\n`))
})

test('a terminal', async () => {
  let screen = ''
  const decoder = new TextDecoder()
  const type = (text) => sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode(text))
  const terminal = await sandbox.pty.create({
    cols: 90,
    rows: 20,
    cwd: '/tmp',
    envs: { MINE: 'm' },
    onData: (bytes) => (screen += decoder.decode(bytes, { stream: true })),
  })
  await type('echo $((40+2)) $MINE $(pwd) $TERM; stty size\n')
  await eventually(() => /42 m \/tmp xterm.*\r\n20 90/.test(screen))
  await sandbox.pty.resize(terminal.pid, { cols: 132, rows: 50 })
  await type('stty size\n')
  await eventually(() => screen.includes('50 132'))
  await type('sleep 100\n')
  await sleep(300)
  await type('\x03')
  await type('exit 7\n')
  await assert.rejects(terminal.wait(), (error) => error.exitCode === 7)

  const killed = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => {} })
  assert.equal(await sandbox.pty.kill(killed.pid), true)
  assert.equal(await sandbox.pty.kill(killed.pid), false)
})

test('a sandbox that is killed breaks its streams', async () => {
  const doomed = await create()
  const endless = await doomed.commands.run('sleep 100', { background: true })
  await doomed.kill()
  await assert.rejects(endless.wait())
  await assert.rejects(doomed.commands.run('true'))
})
