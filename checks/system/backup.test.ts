import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
	copyFileSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBackup } from '../../server/src/operate/backup/restore-backup.ts'
import { onServer, startPostgres } from '../../server/src/platform/database/testing.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { countStored } from './stored.ts'

const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))
const spansBefore = process.env.LONG_TESTS ? 5000 : 1500
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs the command line tool on a data directory. Resolves with the exit code for failures too. */
function signalbox(dataDir: string, args: string[], environment: Record<string, string> = {}) {
	const env = { PATH: process.env.PATH, HOME: process.env.HOME, SIGNALBOX_DATA_DIR: dataDir, ...environment }
	return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
		execFile(process.execPath, [bin, ...args], { env: env as NodeJS.ProcessEnv }, (error, output, errors) =>
			resolve({ code: error ? Number(error.code ?? 1) : 0, output, errors }),
		)
	})
}

/**
 * Sends batches of spans until stopped. `acknowledged` holds the trace ids of all acknowledged batches. While the backup runs, the short
 * form sends small batches: every span is read back after each restore, and a slow machine would otherwise collect too many.
 */
function startIngest(program: Program, token: string) {
	const acknowledged: string[] = []
	let running = true
	const loop = async () => {
		while (running) {
			const length = acknowledged.length < spansBefore || process.env.LONG_TESTS ? 100 : 10
			const traceIds = Array.from({ length }, () => randomBytes(16).toString('hex'))
			const now = BigInt(Date.now()) * 1_000_000n
			const spans = traceIds.map((traceId) => ({
				traceId,
				spanId: traceId.slice(0, 16),
				name: 'backup test',
				kind: 1,
				startTimeUnixNano: String(now),
				endTimeUnixNano: String(now + 1000n),
				attributes: [{ key: 'note', value: { stringValue: `separators \u2028 \n and ☃ ${traceId}` } }],
			}))
			const response = await fetch(`${program.url}/v1/traces`, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
			})
			await response.arrayBuffer()
			if (response.status === 200) acknowledged.push(...traceIds)
			await pause(length === 100 ? 30 : 150)
		}
	}
	const loops = [loop(), loop()]
	const stop = async () => {
		running = false
		await Promise.all(loops)
	}
	return { acknowledged, stop }
}

describe('a backup of a running program', () => {
	const dataDir = newDataDir()
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-backup-'))
	const backup = join(directory, 'backup')
	let program: Program
	let agentKey: string
	let deletedId: string
	let before: string[]

	beforeAll(async () => {
		program = await startProgram(dataDir)
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		const agent = await program.api<{ uuid: string }>(
			'POST',
			'/v1/agents',
			{ name: 'Kept \u2028 agent' },
			201,
		)
		const made = await program.api<{ key: string }>(
			'POST',
			'/v1/keys',
			{ name: 'k', scopes: ['agents:read'] },
			201,
		)
		agentKey = made.key
		deletedId = (await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Deleted' }, 201)).uuid
		await program.api('DELETE', `/v1/agents/${deletedId}`, undefined, 204)
		await program.api(
			'POST',
			'/v1/provider-keys',
			{
				name: 'openai',
				provider: 'openai',
				key: 'sk-canary-in-the-backup',
				base_url: 'https://provider.example/v1',
			},
			201,
		)
		expect(agent.uuid).toBeTruthy()
		const ingest = startIngest(program, token)
		while (ingest.acknowledged.length < spansBefore) await pause(50)
		before = [...ingest.acknowledged]
		const { code, errors, output } = await signalbox(dataDir, ['backup', 'create', backup, '--json'])
		await ingest.stop()
		expect([code, errors]).toEqual([0, ''])
		process.stderr.write(`backup while ingesting: ${output.replaceAll('\n', ' ')}\n`)
		expect(ingest.acknowledged.length).toBeGreaterThan(before.length)
	}, 300_000)
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
		rmSync(directory, { recursive: true, force: true })
	})

	const restoreInto = async (target: string, environment: Record<string, string> = {}) => {
		copyFileSync(join(dataDir, 'master.key'), join(target, 'master.key'))
		return signalbox(target, ['backup', 'restore', backup, '--json'], environment)
	}
	const expectRestored = async (restored: Program) => {
		let counts = new Map<string, number>()
		// Each attempt reads every span, so they become rarer.
		for (let attempt = 1; attempt < 24 && before.some((id) => !counts.has(id)); attempt += 1) {
			await pause(300 * attempt)
			counts = await countStored(restored, 'otlp')
		}
		expect(before.filter((id) => !counts.has(id))).toEqual([])
		expect([...counts].filter(([, count]) => count > 1)).toEqual([])
		const { agents } = await restored.api<{ agents: { name: string }[] }>('GET', '/v1/agents')
		expect(agents.map(({ name }) => name)).toEqual(['Kept \u2028 agent'])
		await restored.api('GET', `/v1/agents/${deletedId}`, undefined, 404)
		const listed = await fetch(`${restored.url}/v1/agents`, { headers: { 'x-api-key': agentKey } })
		expect(listed.status).toBe(200)
	}

	it('passes verification and contains no secret in plain text', async () => {
		const { code, output } = await signalbox(dataDir, ['backup', 'verify', backup])
		expect([code, output]).toEqual([0, expect.stringMatching(/^The backup is whole/)])
		const manifest = await verifyBackup(backup)
		expect(manifest.files.some(({ store }) => store === 'log')).toBe(true)
		const key = readFileSync(join(dataDir, 'master.key'), 'utf8').trim()
		for await (const text of plainTexts(backup)) {
			expect(text).not.toContain('sk-canary-in-the-backup')
			expect(text).not.toContain(agentKey)
			expect(text).not.toContain(key)
		}
	})

	it.concurrent('restores into an empty data directory, with everything acknowledged before the backup exactly once', async () => {
		const target = newDataDir()
		const { code, errors } = await restoreInto(target)
		expect([code, errors]).toEqual([0, ''])
		const restored = await startProgram(target)
		try {
			await expectRestored(restored)
			expect((await signalbox(target, ['audit', 'verify'])).code).toBe(0)
		} finally {
			await restored.kill('SIGTERM')
		}
		expect((await restoreInto(target)).errors).toMatch(/is not empty .*: restore into a new data directory/)
		removeDataDir(target)
	}, 300_000)

	it.concurrent('restores into PostgreSQL too', async () => {
		const server = await startPostgres()
		const name = `restored_${randomBytes(4).toString('hex')}`
		await onServer(server.url, `create database ${name}`)
		const url = new URL(server.url)
		url.pathname = `/${name}`
		const target = newDataDir()
		const environment = {
			DATABASE_URL: url.href,
			SIGNALBOX_MASTER_KEY: readFileSync(join(dataDir, 'master.key'), 'utf8').trim(),
		}
		const { code, errors } = await restoreInto(target, environment)
		expect([code, errors]).toEqual([0, ''])
		const restored = await startProgram(target, environment)
		try {
			await expectRestored(restored)
			expect((await signalbox(target, ['audit', 'verify'], environment)).code).toBe(0)
			// A second backup, this time from PostgreSQL and without a running program.
			await restored.kill('SIGTERM')
			const second = join(directory, 'from-postgres')
			expect((await signalbox(target, ['backup', 'create', second], environment)).errors).toBe('')
			const [first, again] = [await verifyBackup(backup), await verifyBackup(second)]
			const agents = ({ files }: typeof first) => files.find(({ path }) => path.includes('/agents.'))?.rows
			expect(agents(again)).toBe(agents(first))
		} finally {
			await restored.kill('SIGTERM')
			await server.stop()
			removeDataDir(target)
		}
	}, 300_000)

	it('fails verification when a byte of any file changed or a file is missing', async () => {
		const paths = (readdirSync(backup, { recursive: true }) as string[]).filter((path) => path.includes('.'))
		expect(paths.length).toBeGreaterThan(10)
		// Each check also reads all preceding files, and all files of a store are checked in the same way. So the short form tries only
		// every third one.
		const isTried = (path: string, place: number) => !/^(control|telemetry)/.test(path) || place % 3 === 0
		const tried = process.env.LONG_TESTS ? paths : paths.filter(isTried)
		for (const path of tried) {
			const file = join(backup, path)
			const bytes = readFileSync(file)
			const at = Math.floor(Math.random() * bytes.length)
			const changed = Buffer.from(bytes)
			changed[at] = (changed[at] as number) ^ 0x01
			writeFileSync(file, changed)
			await expect(verifyBackup(backup), `${path} at ${at}`).rejects.toThrow(/damaged/)
			rmSync(file)
			await expect(verifyBackup(backup), path).rejects.toThrow(/missing|not a whole backup/)
			writeFileSync(file, bytes)
		}
		await verifyBackup(backup)
	}, 60_000)

	it('restore fails with a one-line error for a damaged backup, a missing master key and a newer backup format', async () => {
		const target = newDataDir()
		const refused = async () => {
			const { code, errors } = await signalbox(target, ['backup', 'restore', backup])
			expect([code, errors.trimEnd().split('\n').length]).toEqual([1, 1])
			expect(existsSync(join(target, 'control.db'))).toBe(false)
			return errors
		}
		expect(await refused()).toMatch(/needs the master key [\w-]+, which is not in it/)
		copyFileSync(join(dataDir, 'master.key'), join(target, 'master.key'))
		const [first] = readdirSync(join(backup, 'telemetry')) as [string]
		const file = join(backup, 'telemetry', first)
		const bytes = readFileSync(file)
		writeFileSync(file, bytes.subarray(0, -1))
		expect(await refused()).toMatch(/is damaged: the backup cannot be used/)
		writeFileSync(file, bytes)
		const manifest = join(backup, 'manifest.json')
		const text = readFileSync(manifest, 'utf8')
		writeFileSync(manifest, text.replace('"format": 1', '"format": 2'))
		expect(await refused()).toMatch(/restore it with the newer Signalbox/)
		writeFileSync(manifest, text)
		removeDataDir(target)
	})
})

/** Yields the decompressed content of every file in a backup. */
async function* plainTexts(backup: string): AsyncIterable<string> {
	const { zstdDecompressSync } = await import('node:zlib')
	for (const path of readdirSync(backup, { recursive: true }) as string[])
		if (path.endsWith('.zst')) yield zstdDecompressSync(readFileSync(join(backup, path))).toString('latin1')
	yield readFileSync(join(backup, 'manifest.json'), 'utf8')
}
