import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptCache } from '../../checks/src/kept-packages.ts'
import { pythonEnvironment } from '../../checks/src/python-environment.ts'
import vectorsOfRedaction from '../../contract/redaction-vectors.json' with { type: 'json' }
import { redact } from '../../server/src/platform/redaction/redact.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { hashOf, ToolDefinitions } from '../typescript/src/observe/tool-definitions.ts'
import vectors from './tests/tool-definition-vectors.json' with { type: 'json' }

interface StoredSpan {
	name: string
	source: string
	service_name: string
	span_id: string
	parent_span_id: string | null
}

const folder = fileURLToPath(new URL('.', import.meta.url))
const python = pythonEnvironment()
const pytest = ['-m', 'pytest', '-q', '--no-header']
/** Python keeps what it has compiled even where a machine tells it not to: some thirty processes would each compile all of their packages. */
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '', MYPY_CACHE_DIR: keptCache('mypy') }
const run = promisify(execFile)
/** Python takes its time to load these packages when others use the machine too. */
const limitMs = 600_000

it.each(vectors)('its vectors of tool definitions are what the TypeScript SDK says: $name', (vector) => {
	const known = new ToolDefinitions()
	known.take([vector.tool])
	expect(known.of(vector.tool.name)).toEqual({
		'signalbox.tool.definition.hash': vector.hash,
		'signalbox.tool.definition.tokens': vector.tokens,
	})
	expect(hashOf(vector.tool)).toBe(vector.hash)
})

describe.skipIf(python === null)('the SDK for Python', () => {
	it('passes its own tests with the real packages', () => expectSuccess(pytest), limitMs)

	it.runIf(process.env.LONG_TESTS)(
		'passes them with the generation before',
		() => expectSuccess(pytest, pythonEnvironment('requirements-test-earlier') as string),
		limitMs,
	)

	it(
		'redacts what is put together of the vectors as the platform does',
		() => {
			const parts = [...vectorsOfRedaction.redacted.map(({ text }) => text), ...vectorsOfRedaction.kept]
			const glues = ['', ' ', '\n', '"', ': ', '\u00a0', 'é', '1']
			const texts = parts.flatMap((one, at) =>
				parts.flatMap((other) => glues.map((glue) => one.slice((at * 7) % one.length) + glue + other)),
			)
			for (const piece of vectorsOfRedaction.hostile)
				for (const times of [1, 2, 7, 40]) texts.push(piece.repeat(times))
			const input = texts.map((text) => JSON.stringify(text)).join('\n')
			const lines = execFileSync(python as string, ['tests/redact_lines.py'], {
				...{ cwd: folder, env },
				input,
				encoding: 'utf8',
			})
			expect(
				lines
					.trim()
					.split('\n')
					.map((line) => JSON.parse(line)),
			).toEqual(texts.map((text) => redact(text).text))
		},
		limitMs,
	)

	it('has types that the strictest check accepts', () => expectSuccess(['-m', 'mypy']), limitMs)

	it('shows in its example what it promises', () => expectSuccess(['examples/observed_server.py']), limitMs)

	it(
		'is a wheel that holds the package and nothing else',
		async () => {
			const out = mkdtempSync(join(tmpdir(), 'signalbox-wheel-'))
			try {
				await expectSuccess(['-m', 'build', '--no-isolation', '--outdir', out])
				const wheel = join(out, readdirSync(out).find((name) => name.endsWith('.whl')) as string)
				const names = execFileSync(python as string, ['-m', 'zipfile', '-l', wheel], { encoding: 'utf8' })
					.split('\n')
					.slice(1, -1)
					.map((line) => line.split(/\s/)[0] as string)
				expect(names.filter((name) => !/^signalbox_sdk\/(\w+\/)*\w+\.py$/.test(name)).sort()).toEqual([
					'signalbox_sdk-0.1.0.dist-info/METADATA',
					'signalbox_sdk-0.1.0.dist-info/RECORD',
					'signalbox_sdk-0.1.0.dist-info/WHEEL',
					'signalbox_sdk-0.1.0.dist-info/entry_points.txt',
					'signalbox_sdk-0.1.0.dist-info/licenses/LICENSE',
					'signalbox_sdk/py.typed',
				])
			} finally {
				rmSync(out, { recursive: true, force: true })
			}
		},
		limitMs,
	)
})

describe.skipIf(python === null)('an observed server behind the gateway', () => {
	const dataDir = newDataDir()
	let program: Program
	let token: string
	let server: ChildProcess
	beforeAll(async () => {
		program = await startProgram(dataDir)
		token = (await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)).token
	}, limitMs)
	afterAll(async () => {
		server?.kill('SIGINT')
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})

	it(
		'is one trace with the views of its client, the gateway and the server',
		async () => {
			const options = JSON.stringify({ endpoint: program.url, token })
			const url = await serve(options)
			const key = await grantedKey(url)
			const asCaller = JSON.stringify({ endpoint: program.url, token, service_name: 'caller' })
			const caller = ['tests/call_gateway.py', `${program.url}/mcp/orders`, key, asCaller]
			await run(python as string, caller, { cwd: folder, env })
			await expect
				.poll(storedViews, { timeout: 30_000, interval: 250 })
				.toEqual(['otlp caller', 'gateway', 'otlp host'])
		},
		limitMs,
	)

	it(
		'is asked by the management client as its types say',
		() => expectSuccess(['tests/use_management.py', program.url, program.token]),
		limitMs,
	)

	/** Starts the host over streamable HTTP on a free port; its address once it answers. */
	async function serve(options: string): Promise<string> {
		const port = await freePort()
		const host = ['tests/host.py', 'mcp', `http:${port}`, 'yes', options]
		server = spawn(python as string, host, { cwd: folder, env })
		const url = `http://127.0.0.1:${port}/mcp`
		await expect
			.poll(
				() =>
					fetch(url).then(
						({ status }) => status > 0,
						() => false,
					),
				{ timeout: 60_000 },
			)
			.toBe(true)
		return url
	}

	async function grantedKey(url: string): Promise<string> {
		const made = await program.api<{ id: string }>('POST', '/v1/mcp/servers', { name: 'orders', url }, 201)
		const agent = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Rosa' }, 201)
		const grant = { agent_uuid: agent.id, access_mode: 'all' }
		await program.api('POST', `/v1/mcp/servers/${made.id}/access`, grant, 201)
		return (await program.api<{ key: string }>('POST', `/v1/agents/${agent.id}/keys`, { name: 'k' }, 201)).key
	}

	/** The spans of the call, each below the one before. */
	async function storedViews(): Promise<string[]> {
		const { spans } = await program.api<{ spans: StoredSpan[] }>(
			'GET',
			'/v1/telemetry/spans?start=-1h&limit=1000',
		)
		const views: string[] = []
		const of = (parent: string | null) =>
			spans.find((span) => span.name.includes('echo') && span.parent_span_id === parent)
		for (let span = of(null); span; span = of(span.span_id))
			views.push(span.source === 'otlp' ? `otlp ${span.service_name}` : span.source)
		return views
	}
})

async function freePort(): Promise<number> {
	const probe = createServer()
	await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
	const { port } = probe.address() as AddressInfo
	await new Promise((done) => probe.close(done))
	return port
}

async function expectSuccess(args: string[], by = python as string): Promise<void> {
	const { status, output } = await run(by, args, { cwd: folder, env }).then(
		({ stdout }) => ({ status: 0, output: stdout }),
		({ code, stdout, stderr }) => ({ status: code, output: stdout + stderr }),
	)
	expect(status, output).toBe(0)
}
