import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSandbox } from './index.ts'
import {
	commandsWith,
	openTestPrograms,
	type ProgramClient,
	specOf,
	type TestPrograms,
	testingProgram,
} from './testing.ts'

const { driver, reason } = findSandbox()

// The filesystem server followed links out of its folder (CVE-2025-53109).
/** Attempts of a hostile program, as JavaScript that it runs; each throws or returns false if it fails. */
const attempts: Record<string, string> = {
	'read the master key': `return require('fs').readFileSync(paths.key, 'utf8')`,
	'list the data directory': `return require('fs').readdirSync(paths.data).length > 0`,
	"read another program's folder": `return require('fs').readFileSync(paths.other, 'utf8')`,
	'read the host /etc/shadow': `return require('fs').readFileSync('/etc/shadow', 'utf8')`,
	'read private keys of the machine': `return require('fs').readdirSync('/etc/ssl/private').length >= 0`,
	'read the home of root': `return require('fs').readdirSync('/root').length > 0`,
	'read our environment through /proc': `return require('fs').readFileSync('/proc/' + paths.pid + '/environ', 'utf8').includes('PATH')`,
	'see processes of the host': `return require('fs').readdirSync('/proc').filter((name) => +name > 0 && require('fs').readFileSync('/proc/' + name + '/cmdline', 'utf8').includes('vitest')).length > 0`,
	'find a variable that was not given': `return process.env.HOST_CANARY !== undefined || Object.keys(process.env).some((name) => name.startsWith('SIGNALBOX'))`,
	'reach the host by /proc/1/root': `return require('fs').readFileSync('/proc/1/root' + paths.key, 'utf8')`,
	'leave by a symbolic link': `require('fs').symlinkSync(paths.key, process.env.HOME + '/link'); return require('fs').readFileSync(process.env.HOME + '/link', 'utf8')`,
	'leave by .. above its home': `return require('fs').readFileSync(process.env.HOME + '/../../../../../../../../' + paths.key, 'utf8')`,
	'write into /usr': `require('fs').writeFileSync('/usr/bin/escaped', 'x'); return true`,
	'write into the root': `require('fs').writeFileSync('/escaped', 'x'); return true`,
	'change a file that it may read': `require('fs').appendFileSync(paths.script, '// changed'); return true`,
	'change its Node': `require('fs').appendFileSync('/run/signalbox/node', 'x'); return true`,
	'kill our process': `process.kill(paths.pid, 0); return true`,
	'kill every process': `try { process.kill(-1, 0) } catch { return false } return require('fs').readdirSync('/proc').includes(String(paths.pid))`,
	'trace another process': `const { stdout, status } = require('child_process').spawnSync('sh', ['-c', 'cat /proc/' + paths.pid + '/mem | head -c 1']); return status === 0 && stdout.length > 0`,
	'connect to a port of the host': `return await connect(paths.port, '127.0.0.1')`,
	'connect to our other addresses': `return (await Promise.all(paths.addresses.map((address) => connect(paths.port, address)))).some(Boolean)`,
	'connect to the metadata address': `return await connect(80, '169.254.169.254')`,
	'connect to an abstract socket of the host': `return await new Promise((done) => require('net').connect('\\0' + paths.socket).once('connect', () => done(true)).once('error', () => done(false)))`,
	'connect to a socket in the data directory': `return await new Promise((done) => require('net').connect(paths.data + '/program.sock').once('connect', () => done(true)).once('error', () => done(false)))`,
	'ask a name server': `await require('dns').promises.resolve('secret.example.com'); return true`,
	'send a datagram': `return await new Promise((done) => { const socket = require('dgram').createSocket('udp4'); socket.send('x', 53, '8.8.8.8', (error) => { socket.close(); done(!error) }) })`,
	'see a network but its own loopback': `return Object.keys(require('os').networkInterfaces()).some((name) => name !== 'lo')`,
	'open a raw socket': `return sh('ping -c 1 -W 1 8.8.8.8') || sh('python3 -c "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"')`,
	'mount a file system': `return sh('mount -t tmpfs none /mnt || mount -t tmpfs none ' + process.env.HOME)`,
	'make a user namespace': `return sh('unshare -Ur true')`,
	'become root': `try { process.setuid(0) } catch { return false } return require('fs').readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s*0*[1-9a-f]/) !== null`,
	'use a setuid program': `return sh('su -c true') || sh('sudo -n true') || sh('newgrp root </dev/null && id -g | grep -qx 0 && test -w /etc')`,
	'have a capability': `return /^Cap(Eff|Prm|Bnd|Amb):\\s*0*[1-9a-f]/m.test(require('fs').readFileSync('/proc/self/status', 'utf8').replace(/^CapBnd.*$/m, ''))`,
	'gain privileges by a new program': `return !/NoNewPrivs:\\s*1/.test(require('fs').readFileSync('/proc/self/status', 'utf8'))`,
	'make a device': `return sh('mknod ' + process.env.HOME + '/disk b 8 0 && head -c 1 ' + process.env.HOME + '/disk')`,
	'read a disk': `return require('fs').readdirSync('/dev').some((name) => /^(sd|vd|nvme|mem|kmem|loop)/.test(name))`,
	'change the kernel': `require('fs').writeFileSync('/proc/sys/kernel/hostname', 'escaped'); return true`,
	'use the kernel magic keys': `require('fs').writeFileSync('/proc/sysrq-trigger', 'h'); return true`,
	'write into a control group': `return sh('test -w /sys/fs/cgroup && mkdir /sys/fs/cgroup/escaped')`,
	'fill the disk by /tmp': `return sh('head -c 300000000 /dev/zero > /tmp/big; status=$?; rm /tmp/big; exit $status')`,
	'fill the memory by a file system': `return /^tmpfs \\S+ rw(?!.*size=)/m.test(require('fs').readFileSync('/proc/mounts', 'utf8'))`,
	'start without end': `const done = sh('i=0; while [ $i -lt 400 ]; do sleep 60 & i=$((i+1)); done'); const fs = require('fs'); for (const pid of fs.readdirSync('/proc').filter((name) => +name > 2)) try { if (fs.readFileSync('/proc/' + pid + '/comm', 'utf8').trim() === 'sleep') process.kill(+pid, 'SIGKILL') } catch {} return done`,
}

/** `false`, or the system error that prevented it. */
const failed =
	/^(false|E[A-Z]+[:,]|(open|kill|connect|spawn|query\w*|bind|setuid|symlink|mkdir)? ?(EACCES|ENOENT|EPERM|EROFS|ESRCH|EAGAIN|ECONNREFUSED|EAI_AGAIN)\b|query\w+ E\w+)/

const helpers = `
const connect = (port, host) => new Promise((done) => { const socket = require('net').connect({ port, host, timeout: 500 }); const end = (is) => { socket.destroy(); done(is) }; socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false)) })
const sh = (command) => require('child_process').spawnSync('sh', ['-c', command], { timeout: 3000, stdio: 'ignore' }).status === 0
`

describe.skipIf(!driver)(`a hostile program in the sandbox ${reason}`, () => {
	let programs: TestPrograms
	let client: ProgramClient
	let paths: object
	const listener = createServer((socket) => socket.on('error', () => {}).end('reached')).unref()
	const abstract = createServer((socket) => socket.on('error', () => {}).end('reached')).unref()
	beforeAll(async () => {
		programs = openTestPrograms({ limits: { processes: 100 } })
		const { directory } = programs
		writeFileSync(join(directory, 'master.key'), 'CANARY', { mode: 0o600 })
		mkdirSync(join(directory, 'other/home'), { recursive: true })
		writeFileSync(join(directory, 'other/home/notes'), 'CANARY')
		await new Promise<void>((done) => listener.listen(0, '0.0.0.0', done))
		const socket = `signalbox-test-${process.pid}`
		await new Promise<void>((done) => abstract.listen(`\0${socket}`, done))
		const { networkInterfaces } = await import('node:os')
		const found = Object.values(networkInterfaces()).flatMap((of) => of?.map(({ address }) => address) ?? [])
		paths = {
			...{ data: directory, key: join(directory, 'master.key'), other: join(directory, 'other/home/notes') },
			...{ pid: process.pid, port: (listener.address() as { port: number }).port, addresses: found },
			...{ script: testingProgram, socket },
		}
		client = programs.client()
		await client.initialize()
	})
	afterAll(async () => {
		listener.close()
		abstract.close()
		await programs.close()
	})

	it.each(Object.entries(attempts))('does not %s', async (_name, code) => {
		const whole = `const paths = ${JSON.stringify(paths)}; ${helpers} ${code}`
		const outcome = await client.call('run', { code: whole }).catch(({ message }: Error) => message)
		expect(outcome).toMatch(failed)
		// A program that died in an attempt would fail all later ones too, which would prove nothing.
		await expect.poll(() => client.call('echo', { value: 'alive' })).toBe('alive')
	})

	it('sees what it needs: its home, its script, an empty /tmp, itself', async () => {
		expect(
			await client.call('run', { code: `${helpers} return sh('true') && sh('echo x > /dev/null')` }),
		).toBe('true')
		const code = `const fs = require('fs'); fs.writeFileSync(process.env.HOME + '/kept', 'yes')
			return { home: fs.readFileSync(process.env.HOME + '/kept', 'utf8'), tmp: fs.readdirSync('/tmp'), user: require('os').userInfo().username }`
		// A checkout below /tmp is part of the path to the script; nothing else is visible there.
		const [, top, folder = ''] = import.meta.dirname.split('/')
		const tmp = top === 'tmp' ? [folder] : []
		expect(JSON.parse(await client.call('run', { code }))).toEqual({ home: 'yes', tmp, user: 'program' })
		expect(readFileSync(join(programs.folderOf('one'), 'home/kept'), 'utf8')).toBe('yes')
	})

	it.skipIf(!existsSync('/usr/bin/java'))('runs Java, whose settings Debian keeps below /etc', async () => {
		const code = `const { status, stdout, stderr } = require('child_process').spawnSync('java', ['-Xmx64m', '-XX:TieredStopAtLevel=1', '-XshowSettings:security', '-version'], { timeout: 20000 })
			return status === 0 || String(stdout) + stderr`
		// What an attempt above started and killed may count against the limit of processes for a moment.
		await expect.poll(() => client.call('run', { code })).toBe('true')
	})

	it.skipIf(process.getuid?.() !== 0)('sees nothing of a data directory below a system folder', async () => {
		const data = mkdtempSync('/usr/local/signalbox-test-')
		const inside = openTestPrograms({ directory: join(data, 'programs') })
		chmodSync(data, 0o755)
		writeFileSync(join(data, 'master.key'), 'CANARY')
		const other = inside.client()
		await other.initialize()
		const code = `const paths = ${JSON.stringify({ key: join(data, 'master.key') })}; ${attempts['read the master key']}`
		await expect(other.call('run', { code })).rejects.toThrow(/EACCES|ENOENT/)
		await inside.close()
		rmSync(data, { recursive: true })
	})

	it('the same attempts succeed without a sandbox, which shows that they test something', async () => {
		const open = openTestPrograms({ sandbox: null })
		open.specs.set('one', specOf('one', { accepted: 'without a sandbox' }))
		const free = open.client()
		await free.initialize()
		const succeeded = [
			'read the master key',
			'list the data directory',
			'connect to a port of the host',
			'kill our process',
		]
		for (const name of succeeded) {
			const code = `const paths = ${JSON.stringify(paths)}; ${helpers} ${attempts[name]}`
			expect(await free.call('run', { code }), name).not.toBe('false')
		}
		await open.close()
	})

	it('dies with all its children when it is ended', async () => {
		const mark = `mark-${process.pid}`
		await expect.poll(() => client.call('child', { mark }).catch(() => '')).toMatch(/^\d+$/)
		expect(commandsWith(mark)).toBeGreaterThan(0)
		await programs.stop('one')
		await expect.poll(() => commandsWith(mark)).toBe(0)
	})
})

describe.skipIf(!driver)(`the way out of the sandbox ${reason}`, () => {
	it('leads only to allowed hosts, under our address rules', async () => {
		const refused: string[] = []
		const target = createServer((socket) =>
			socket
				.on('error', () => {})
				// A response before the request would be followed by a reset, which may overtake it.
				.once('data', () =>
					socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'),
				),
		)
		await new Promise<void>((done) => target.listen(0, '127.0.0.1', done))
		const { port } = target.address() as { port: number }
		const { connect } = await import('node:net')
		const programs = openTestPrograms({
			connect: async (host, to) => {
				if (host !== 'api.example.com') {
					refused.push(host)
					throw new Error('refused by the address rules')
				}
				const socket = connect(to, '127.0.0.1')
				await new Promise((done, fail) => socket.once('connect', done).once('error', fail))
				return socket
			},
		})
		programs.specs.set(
			'one',
			specOf('one', { allowedHosts: [`api.example.com:${port}`, '169.254.169.254', '*.inside.example.com'] }),
		)
		const client = programs.client()
		await client.initialize()
		const get = (url: string) =>
			client.call('run', {
				code: `try { const answer = await fetch(${JSON.stringify(url)}); return answer.status + ' ' + await answer.text() } catch (error) { return 'failed' }`,
			})
		expect(await get(`http://api.example.com:${port}/path`)).toBe('"200 ok"')
		expect(await get('http://evil.example.com/')).not.toContain('ok')
		expect(await get('http://169.254.169.254/latest/meta-data')).not.toContain('ok')
		expect(await get('http://secret.inside.example.com/')).not.toContain('ok')
		expect(await get('https://evil.example.com/')).toBe('"failed"')
		expect(refused).toEqual(['169.254.169.254', 'secret.inside.example.com'])
		expect(
			programs
				.logsOf('one', 50)
				.map(({ text }) => text)
				.join(),
		).toContain('Refused a connection to evil.example.com')
		await programs.close()
		target.close()
	})
})
